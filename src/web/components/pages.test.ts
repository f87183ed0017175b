import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/index.ts";
import { choose, type Router } from "../../http/router/index.ts";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { Schema } from "../../schema/index.ts";
import { language as languageMiddleware } from "../middleware/language.ts";
import type { ResourceView } from "../rest/contract.ts";
import * as Query from "../query/query.ts";
import { resourceOfService } from "../rest/resource.ts";
import { application, idOf } from "../rest/todo-fixture.test.ts";
import { choicesOf, editPage, itemPage, listPage, newPage } from "./index.ts";

const language = Language.make("en", { en: {}, de: {} }, { framework: { de } });
const schema = Schema.record({
  title: Schema.string({ min: 1 }),
  price: Schema.decimal(),
  state: Schema.oneOf(["on_sale", "sold_out"]),
  author_id: Schema.uuid(),
});

interface Book extends Schema.Infer<typeof schema> {
  readonly id: string;
  readonly version: number;
  readonly author: { readonly id: string; readonly name: string };
  readonly created_at: Date;
  readonly updated_at: Date;
}

const author = { id: idOf(9), name: "Spyri" };
const added = new Date("2026-01-31T12:30:00Z");
const book = (number: number, title: string): Book => ({
  id: idOf(number),
  version: 7,
  title,
  price: "12.50",
  state: "on_sale",
  author_id: author.id,
  author,
  created_at: added,
  updated_at: added,
});
const books = [book(1, "Heidi <i>"), book(2, "Emil")];

const rules = { filterBy: { author_id: Query.uuid, state: Query.oneOf("on_sale", "sold_out") }, sortBy: ["title"] };
const pages = {
  texts: { one: "picture book", many: "picture books" },
  schema,
  ...rules,
  labelOf: ({ title }: Book): string => title,
  layout: (_: Request, title: string, content: Html): Html => html`<title>${title}</title>${content}`,
};
const authorColumn = { label: "Author", value: (item: Book): string => item.author.name };
const columns = ["title", "price", "state", authorColumn, "created_at"] as const;
const options = { columns, filters: () => ({ author_id: { choices: choicesOf([author], ({ name }) => name) } }) };
const view: ResourceView<Book> = {
  index: listPage(pages, options),
  show: itemPage(pages, { facts: [...columns, "updated_at"], links: { reviews: "Reviews" } }),
  new: newPage(pages, { fields: { title: { hint: "As on the cover" } } }),
  edit: editPage(pages, {
    fields: async (_, item) => ({
      author_id: { label: `Author of ${item.title}`, choices: [[item.author_id, "Spyri"]] },
    }),
  }),
};

const inLanguages = (routers: readonly Router[]): readonly Router[] => [
  choose(routers, { middlewares: [languageMiddleware(language)] }),
];

/** Returns a function that gets a page of the books on one line. */
function visitor(changes: Partial<ResourceView<Book>> = {}, found: readonly Book[] = books) {
  const service = {
    find: (id: string) => books.find((one) => one.id === id),
    search: (query: Query.CompleteQuery) =>
      [query.filter === undefined ? found : [], query.filter === undefined ? found.length : 0] as const,
    insert: () => ok(book(3, "New")),
    update: () => ok(book(1, "Changed")),
    delete: () => ok(),
  };
  const routers = resourceOfService({
    name: "books",
    schema,
    view: { ...view, ...changes },
    service,
    ...rules,
  });
  const ask = application(inLanguages(routers));
  return async (path: string, tag = "en"): Promise<string> =>
    (await (await ask(path, { headers: { "accept-language": tag } })).text())
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ \/?>/g, ">")
      .replaceAll(/(?<=>) | (?=<)/g, "");
}

describe("the page of a list", () => {
  test("has heading, filters, table and pager", async () => {
    const page = await visitor()("/books");
    assert.match(page, /<title>Picture books<\/title>/);
    assert.match(page, /<h1>Picture books<\/h1><a class="button" href="\/books\/new">New picture book<\/a>/);
    assert.match(page, /<select id="filter-author_id"[^]*<option value="[^"]+9">Spyri</);
    assert.match(page, /<th scope="row"><a href="\/books\/[^"]+1">Heidi &lt;i&gt;<\/a>/);
    assert.match(page, /<nav class="pager[^]*1 to 2 of 2/);
  });

  test("shows values as the schema and the rules describe them", async () => {
    const page = await visitor()("/books");
    assert.match(page, /<th scope="col"[^>]*><a href="\/books\?sort=-?title">Title<\/a>/);
    assert.match(page, /<th scope="col" class="number">Price<\/th><th scope="col">State<\/th>/);
    assert.match(page, /<td data-label="State">On sale<\/td><td data-label="Author">Spyri<\/td>/);
    assert.match(page, /<td data-label="Added"><time datetime="2026-01-31T12:30:00.000Z">/);
  });

  test("has only the actions of the resource", async () => {
    const index = (only: readonly ("index" | "show" | "destroy")[]): ResourceView<Book>["index"] =>
      listPage({ ...pages, only }, options);
    const page = await visitor({ index: index(["index", "destroy"]) })("/books");
    assert.doesNotMatch(page, /\/books\/new|\/edit/);
    assert.match(page, /aria-label="Delete Emil"/);
    assert.doesNotMatch(await visitor({ index: index(["index", "show"]) })("/books"), /\/edit|Delete|>Actions</);
    const show = itemPage({ ...pages, only: ["show"] }, { facts: ["title"] });
    assert.doesNotMatch(await visitor({ show })(`/books/${idOf(1)}`), />Edit</);
  });

  test("shows its items as cards instead of rows", async () => {
    const card = ({ title }: Book, request: Request): Html => html`<h2>${request.path}: ${title}</h2>`;
    const index = listPage(pages, { card });
    const page = await visitor({ index })("/books");
    assert.match(page, /<div class="grid"><article class="card"><h2>\/books: Heidi &lt;i&gt;<\/h2><div class="row"><a/);
    assert.match(page, /aria-label="Edit Emil"[^]*aria-label="Delete Emil"/);
    assert.doesNotMatch(page, /<table/);
    assert.match(page, /<nav class="pager[^]*1 to 2 of 2/);
    assert.match(await visitor({ index }, [])("/books"), /No picture books yet\./);
  });

  test("says that it is empty, or that nothing was found", async () => {
    const ask = visitor({}, []);
    assert.match(await ask("/books"), /No picture books yet\./);
    assert.match(await ask("/books?filter=x"), /No picture books found\.[^]*<a href="\/books">Show all picture books/);
  });

  test("shows decimals as its forms do", async () => {
    const ask = visitor({ index: listPage(pages, { columns: ["title", "price"] }) });
    const page = await ask("/books", "de");
    assert.match(page, /<td data-label="Price" class="number">12,50<\/td>/);
  });

  test("takes and shows the decimals of filters as its forms do", async () => {
    const weighed = Schema.record({ title: Schema.string({ min: 1 }), price: Schema.decimal({ scale: 3 }) });
    const filterBy = { price: Query.range(Query.decimal), weight: Query.decimal };
    const searches: unknown[] = [];
    const search = (query: Query.CompleteQuery) => (searches.push(query.filterBy), [books, 300] as const);
    const routers = resourceOfService({
      name: "books",
      schema: weighed,
      view: { index: listPage({ ...pages, schema: weighed, filterBy }, { columns: ["title"] }) },
      service: { search, find: (id: string) => books.find((one) => one.id === id) },
      only: ["index"],
      filterBy,
      sortBy: ["title"],
    });
    const askInEnglish = application(inLanguages(routers));
    const ask = (path: string, accept = "text/html"): Promise<Response> =>
      askInEnglish(path, { headers: { accept, "accept-language": "de" } });
    const valueOf = (text: string): string | undefined => /id="filter-price_from"[^>]* value="([^"]*)"/.exec(text)?.[1];
    for (const [sent, value] of [
      ["12,50", "12.50"],
      ["-1,5", "-1.5"],
      ["7", "7"],
      // Not the form of a number with a thousands separator.
      ["1,234", "1.2340"],
    ] as const) {
      const text = await (await ask(`/books?${new URLSearchParams({ price_from: sent }).toString()}`)).text();
      assert.deepEqual([searches.pop(), valueOf(text)], [{ price: { from: value } }, sent]);
      // The links of the page have the point.
      const [, link = ""] = /href="(\/books\?[^"]*price_from=[^"]*offset=50[^"]*)"/.exec(text) ?? [];
      const next = await (await ask(link.replaceAll("&amp;", "&"))).text();
      assert.deepEqual(
        [link.includes(`price_from=${value}`), searches.pop(), valueOf(next)],
        [true, { price: { from: value } }, sent],
      );
    }
    for (const sent of ["1.234", "1.234,5", "1,2,3", "1 000", "1e3"]) {
      const answer = await ask(`/books?${new URLSearchParams({ price_from: sent }).toString()}`);
      const text = await answer.text();
      assert.deepEqual([answer.status, valueOf(text), searches.length], [422, sent, 0]);
      assert.match(text, /id="filter-price_from-error">[^<]*eine Dezimalzahl wie 12,50/);
    }
    // So do the other filters of the page. In English, and in JSON, they have the point.
    assert.equal((await ask("/books?weight=12,50")).status, 200);
    assert.equal((await askInEnglish("/books?weight=12,50")).status, 422);
    assert.equal((await askInEnglish("/books?weight=1.234")).status, 200);
    const json = "application/json";
    assert.equal((await ask("/books?weight=12,50", json)).status, 400);
    assert.equal((await ask("/books?weight=1.234", json)).status, 200);
  });

  test("shows an invalid filter with its error and without items", async () => {
    const filterBy = {
      price: Query.range(Query.decimal),
      pages: Query.int,
      added: Query.range(Query.timestamp),
      state: Query.oneOf("on_sale", "sold_out"),
      tag: Query.anyOf(Query.oneOf("old", "new")),
      author_id: Query.nullable(Query.uuid),
      note: Query.text,
    };
    const search = (): never => assert.fail("searched");
    const json = { headers: { accept: "application/json" } };
    const index = listPage({ ...pages, filterBy }, { columns });
    const routers = resourceOfService({
      name: "books",
      schema,
      view: { index },
      service: { search, find: search },
      only: ["index"],
      filterBy,
      text: true,
    });
    const ask = application(routers);
    const control = (text: string, name: string): string =>
      new RegExp(`<label for="filter-${name}">[^]*?</div>`).exec(text)?.[0].replaceAll(/\s+/g, " ") ?? "";
    for (const [name, sent, expected, shown] of [
      ["price_from", "12,50", "Please enter a decimal number like 12.50", 'type="text" value="12,50"'],
      ["price_to", "1.234,5", "Please enter a decimal number like 12.50", 'type="text" value="1.234,5"'],
      ["pages", "12,50", "Please enter a whole number", 'type="text" value="12,50"'],
      ["pages", "<b>", "Please enter a whole number", 'value="&lt;b&gt;"'],
      ["added_from", "31.1.2026", "Please enter a point in time like 2026-01-31", 'type="text" value="31.1.2026"'],
      ["added_to", "2026-02-30", "Please enter a point in time like 2026-01-31", 'type="text" value="2026-02-30"'],
      ["state", "lost", "Please enter one of the options", 'value="lost" selected'],
      ["note", "x".repeat(257), "Please enter a text of at most 256 characters", 'type="text"'],
    ] as const) {
      const path = `/books?${new URLSearchParams({ [name]: sent, added_from: "2026-01-31", [name]: sent }).toString()}`;
      const answer = await ask(path);
      const text = await answer.text();
      const shownControl = control(text, name);
      assert.equal(answer.status, 422, path);
      assert.ok(shownControl.includes(`id="filter-${name}-error">${expected}`), shownControl);
      assert.ok(shownControl.includes(shown), shownControl);
      assert.match(shownControl, new RegExp(`aria-invalid="true" aria-describedby="filter-${name}-error"`));
      // The other filters stay, and the list is not the one without the filter.
      if (name !== "added_from") assert.match(control(text, "added_from"), /type="date" value="2026-01-31"/);
      assert.match(text, /No picture books found\.[^]*<a href="\/books">Show all picture books/);
      const problem = await ask(path, json);
      assert.deepEqual([problem.status, ((await problem.json()) as { code: string }).code], [400, "E_QUERY_INVALID"]);
    }
    const group = await (await ask("/books?tag=new&tag=odd&author_id=x&pages=1&pages=2&text=%00")).text();
    assert.match(
      group,
      /aria-describedby="filter-tag-error"\s*>\s*<legend>Tag<\/legend>\s*<p[^>]*>Please enter one of the options/,
    );
    assert.match(group, /value="new"\s*checked/);
    assert.match(group, /<p class="error">Author: Please enter a UUID, or &quot;none&quot; for no value<\/p>/);
    assert.match(control(group, "pages"), /Please enter one value/);
    assert.match(group, /<p class="error">Text: Please enter a text without NUL<\/p>/);
    // Other parameters are not typed into the form.
    assert.equal((await ask("/books?limit=x")).status, 400);
  });

  test("can replace each part", async () => {
    const index = listPage(pages, {
      ...options,
      search: false,
      select: { value: ({ id }) => id, label: ({ title }) => title },
      heading: () => html`<h1>Shelf</h1>`,
      before: (request) => html`<p>before ${request.path}</p>`,
      after: (_, csrf, query) => html`<p>after ${query.limit} ${csrf.length > 9 && "with token"}</p>`,
      actions: (item) => html`<b>${item.title}</b>`,
      empty: async () => html`<p>Bare</p>`,
    });
    const page = await visitor({ index })("/books");
    assert.match(page, /<p>before \/books<\/p><h1>Shelf<\/h1>/);
    assert.match(page, /<input type="checkbox"[^>]*aria-label="Select Emil">/);
    assert.match(page, /<div class="row"><b>Emil<\/b><\/div>/);
    assert.match(page, /<p>after with token<\/p>$/);
    assert.doesNotMatch(page, /type="search"|aria-label="Edit/);
    assert.match(await visitor({ index }, [])("/books"), /<div class="card"><p>Bare<\/p><\/div>/);
  });

  test("uses the components of the project", async () => {
    const components = { table: () => html`<ul></ul>`, pager: () => html`<p>1</p>`, emptyState: () => html`none` };
    const index = listPage({ ...pages, components }, options);
    assert.match(await visitor({ index })("/books"), /<div class="card"><ul><\/ul><\/div><p>1<\/p>$/);
  });

  test("speaks another language", async () => {
    const page = await visitor()("/books", "de");
    assert.match(page, />Picture book hinzufügen</);
    assert.match(page, /data-label="Hinzugefügt"/);
    assert.match(page, />Bearbeiten</);
  });
});

describe("the other pages", () => {
  const path = `/books/${idOf(1)}`;

  test("show an item and its links", async () => {
    const page = await visitor()(path);
    assert.match(page, /<title>Heidi &lt;i&gt;<\/title><article class="card"><h1>Heidi &lt;i&gt;<\/h1>/);
    assert.match(page, /<div><dt>State<\/dt><dd>On sale<\/dd><\/div><div><dt>Author<\/dt><dd>Spyri<\/dd><\/div>/);
    assert.match(page, /<dt>Changed<\/dt><dd><time /);
    assert.match(
      page,
      new RegExp(`href="${path}/edit">Edit</a><a class="button secondary" href="${path}/reviews">Reviews</a>`),
    );
    assert.match(page, /<a href="\/books">Back to the list<\/a>/);
  });

  test("have a form for a new item and for a stored one", async () => {
    const ask = visitor();
    const created = await ask("/books/new");
    assert.match(created, /<title>New picture book<\/title><h1>New picture book<\/h1>/);
    assert.match(
      created,
      /action="\/books"[^]*As on the cover[^]*<button>Add<\/button><a class="button secondary" href="\/books">/,
    );
    const edited = await ask(`${path}/edit`);
    assert.match(edited, /<title>Edit Heidi &lt;i&gt;<\/title><h1>Edit picture book<\/h1>/);
    assert.match(edited, /name="_method" value="put"><input type="hidden" name="version" value="7">/);
    assert.match(edited, /Author of Heidi &lt;i&gt;[^]*<button>Save<\/button>/);
  });
});
