import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html, type Html } from "../../html/index.ts";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import type * as Query from "../query/query.ts";
import { bulkActions, emptyState, pager, sortLinks, table, timestamp } from "./index.ts";

const language = Language.make("en", { en: {}, de: {} }, { framework: { de } });

interface Book {
  readonly id: string;
  readonly title: string;
  readonly pages: number;
  readonly sold: boolean;
  readonly added: Date | undefined;
}

const heidi: Book = { id: "1", title: "Heidi <i>", pages: 320, sold: true, added: new Date("2026-01-31T12:30:00Z") };
const emil: Book = { id: "2", title: "Emil", pages: 90, sold: false, added: undefined };
const squash = (page: Html | undefined): string =>
  String(page)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ \/?>/g, ">")
    .replaceAll(/(?<=>) | (?=<)/g, "")
    .trim();

describe("a table", () => {
  test("has a caption, heads, and a label in each cell", () => {
    const page = squash(table([heidi, emil], { caption: "Books", columns: ["title", "pages", "sold", "added"] }));
    assert.match(page, /<caption class="visually-hidden">Books<\/caption>/);
    assert.match(page, /<th scope="col">Title<\/th><th scope="col" class="number">Pages<\/th>/);
    assert.match(page, /<th scope="row">Heidi &lt;i&gt;<\/th><td data-label="Pages" class="number">320<\/td>/);
    assert.match(
      page,
      /<td data-label="Sold">Yes<\/td><td data-label="Added"><time datetime="2026-01-31T12:30:00.000Z">2026-01-31 12:30 UTC/,
    );
    assert.match(
      page,
      /<td data-label="Sold">No<\/td><td data-label="Added"><span class="meta" aria-hidden="true">–<\/span><span class="visually-hidden">None<\/span><\/td>/,
    );
  });

  test("aligns a column at its end by its first value, also after items without one", () => {
    const items = [undefined, 4.5, 3].map((rating) => ({ title: "Heidi", rating }));
    const page = squash(table(items, { caption: "Books", columns: ["title", "rating"] }));
    assert.match(page, /<th scope="col" class="number">Rating<\/th>/);
    const texts = squash(
      table([{ code: "", rating: 1 }, { code: "a" }], { caption: "Books", columns: ["rating", "code"] }),
    );
    assert.match(texts, /<th scope="col">Code<\/th>/);
  });

  test("has columns by function, links and actions", () => {
    const columns = [
      { label: "Book", value: ({ title }: Book) => html`<b>${title}</b>` },
      { name: "pages", label: "Length" },
    ] as const;
    const page = squash(
      table([heidi], {
        caption: "Books",
        columns,
        rowLink: ({ id }) => `/books/${id}`,
        actions: () => html`<a href="/e">Edit</a>`,
      }),
    );
    assert.match(page, /<th scope="row"><a href="\/books\/1"><b>Heidi &lt;i&gt;<\/b><\/a><\/th>/);
    assert.match(
      page,
      /<th scope="col" class="number">Length<\/th><th scope="col"><span class="visually-hidden">Actions<\/span><\/th>/,
    );
    assert.match(page, /<td class="actions"><div class="row"><a href="\/e">Edit<\/a><\/div><\/td>/);
  });

  test("has sort links that tell the order", () => {
    let direction: "asc" | "desc" = "asc";
    const columns = [{ name: "title", sort: "title" }, { name: "pages", sort: "pages" }, "sold"] as const;
    const sort = {
      directionOf: (column: string) => (column === "title" ? direction : undefined),
      href: (column: string) => `/books?by=${column}`,
    };
    const page = squash(table([heidi], { caption: "Books", columns, sort }));
    assert.match(page, /<th scope="col" aria-sort="ascending"><a href="\/books\?by=title">Title<\/a><\/th>/);
    assert.match(
      page,
      /<th scope="col" class="number"><a href="\/books\?by=pages">Pages<\/a><\/th><th scope="col">Sold<\/th>/,
    );
    direction = "desc";
    const descending = squash(table([heidi], { caption: "Books", columns, sort }));
    assert.match(descending, /aria-sort="descending"><a href="\/books\?by=title">/);
  });

  test("selects rows for bulk actions", () => {
    const select = { value: ({ id }: Book) => id, label: ({ title }: Book) => title };
    const page = squash(table([heidi], { caption: "Books", columns: ["title"], select }));
    assert.match(page, /<input type="checkbox" form="bulk" name="ids" value="1" aria-label="Select Heidi &lt;i&gt;">/);
    const actions = squash(
      bulkActions({ csrf: "token", action: "/books/bulk", actions: [{ value: "archive", label: "Archive" }] }),
    );
    assert.match(actions, /<form id="bulk"[^>]*method="post" action="\/books\/bulk" aria-label="Selected items"/);
    assert.match(
      actions,
      /name="csrf" value="token".*<button class="secondary" name="action" value="archive">Archive<\/button>/,
    );
  });

  test("without rows shows what to do", () => {
    const empty = emptyState({ title: "No <books>", text: "Add one", action: html`<a href="/new">New</a>` });
    const page = squash(table<Book>([], { caption: "Books", columns: ["title"], empty }));
    assert.equal(
      page,
      '<div class="empty"><p class="empty-title">No &lt;books&gt;</p><p>Add one</p><p><a href="/new">New</a></p></div>',
    );
    assert.doesNotMatch(squash(emptyState({ title: "None" })), /<p><\/p>/);
  });
});

describe("a pager", () => {
  const links = (page: Html): string[] =>
    [...String(page).matchAll(/href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href, label]) => `${label?.trim()} ${href}`);

  test("links to the other pages, with the filter of the query", () => {
    const query: Query.Query = { filter: "a&b", limit: 10, offset: 10 };
    const page = pager(query, { path: "/books", count: 10, total: 35 });
    assert.match(
      squash(page),
      /<nav class="pager row space-between" aria-label="Pages"><span class="meta">11 to 20 of 35<\/span>/,
    );
    assert.deepEqual(links(page), [
      "First /books?filter=a%26b&amp;limit=10&amp;offset=0",
      "Previous /books?filter=a%26b&amp;limit=10&amp;offset=0",
      "Next /books?filter=a%26b&amp;limit=10&amp;offset=20",
      "Last /books?filter=a%26b&amp;limit=10&amp;offset=30",
    ]);
    assert.deepEqual(links(pager({}, { path: "/books", count: 3, total: 3 })), []);
  });

  test("has no range without items", () => {
    assert.equal(squash(pager({}, { path: "/books", count: 0, total: 0 })), "");
    const beyond = pager({ offset: 100 }, { path: "/books", count: 0, total: 30 });
    assert.match(squash(beyond), /<span class="meta"><\/span>/);
    assert.deepEqual(links(beyond), ["First /books?offset=0", "Previous /books?offset=50", "Last /books?offset=0"]);
  });

  test("needs no total with cursors", () => {
    const page = pager({ after: "x" }, { path: "/books", count: 50, cursors: { next: "y", offset: 50 } });
    assert.match(squash(page), /<span class="meta">51 to 100<\/span>/);
    assert.deepEqual(links(page), ["First /books?offset=0", "Next /books?after=y"]);
  });
});

test("sort links keep the filter, lead to the first page, and reverse the order", () => {
  const query = { filter: "a", filterBy: { state: "open" }, offset: 50, sortBy: ["-pages", "title"] };
  const sort = sortLinks(query, "/books");
  assert.deepEqual(["pages", "title", "id"].map(sort.directionOf), ["desc", undefined, undefined]);
  assert.equal(sort.href("pages"), "/books?state=open&filter=a&sort=pages");
  assert.equal(sort.href("title"), "/books?state=open&filter=a&sort=title");
  assert.equal(sortLinks({ sortBy: ["title"] }, "/books").href("title"), "/books?sort=-title");
});

test("sort links show the default order, and reverse it", () => {
  const links = (query: Query.Query): ReturnType<typeof sortLinks> =>
    sortLinks(query, "/books", { sortBy: ["added", "title"] });
  const directions = (query: Query.Query): unknown => ["added", "title"].map(links(query).directionOf);
  assert.deepEqual(directions({}), ["desc", undefined]);
  assert.deepEqual(directions({ sort: "asc" }), ["asc", undefined]);
  assert.deepEqual(directions({ sortBy: ["title"] }), [undefined, "asc"]);
  // A full-text search sorts by relevance.
  assert.deepEqual(directions({ text: "milk" }), [undefined, undefined]);
  assert.equal(links({}).href("added"), "/books?sort=added");
  assert.equal(links({ sort: "asc" }).href("added"), "/books?sort=-added");
  assert.equal(links({}).href("title"), "/books?sort=title");
});

test("a timestamp is in the time zone and the language of the context, otherwise in UTC", () => {
  assert.equal(timestamp(undefined), undefined);
  const time = '<time datetime="1970-01-01T00:00:00.000Z">';
  const shown = (): string => squash(timestamp(new Date(0)));
  assert.equal(shown(), `${time}1970-01-01 00:00 UTC</time>`);
  assert.equal(language.run("de", shown), `${time}01.01.1970, 00:00 UTC</time>`);
  const timeZone = "Asia/Tokyo";
  assert.equal(language.run("de", shown, { timeZone }), `${time}01.01.1970, 09:00</time>`);
  assert.equal(language.run("en", shown, { timeZone }), `${time}Jan 1, 1970, 9:00 AM</time>`);
});

test("a table shows numbers, words and labels in the language of the context", () => {
  const book = { year: 2026, rating: 4.5, sold: true, note: null, state: "in_print", tags: ["old", "new"] };
  const texts = {
    get fields() {
      return { rating: Language.current() === "de" ? "Bewertung" : "Stars" };
    },
    choices: { state: { in_print: "<Printed>" }, tags: { old: "Alt", new: "Neu" } },
  };
  const options = { caption: "Books", columns: ["year", "rating", "sold", "note", "state", "tags"], texts } as const;
  const cells = (): string[] => {
    const page = squash(table([book], options));
    return [...page.matchAll(/(?:<th scope="row">|<td data-label="(\w+)"[^>]*>)(.*?)<\/t[hd]>/g)].map(
      ([, label, value = ""]) => `${label}: ${value.replaceAll(/<[^>]*>/g, " ").trim()}`,
    );
  };
  const labelled = ["State: &lt;Printed&gt;", "Tags: Alt, Neu"];
  assert.deepEqual(cells(), ["undefined: 2026", "Stars: 4.5", "Sold: Yes", "Note: –  None", ...labelled]);
  assert.deepEqual(language.run("de", cells), [
    "undefined: 2026",
    "Bewertung: 4,5",
    "Sold: Ja",
    "Note: –  Keine Angabe",
    ...labelled,
  ]);
});
