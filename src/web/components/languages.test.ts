import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { error, ok } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/index.ts";
import { choose } from "../../http/router/index.ts";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { en } from "../../language/texts/en/index.ts";
import { fr } from "../../language/texts/fr/index.ts";
import { Schema } from "../../schema/index.ts";
import { Browser, isolate } from "../application/fetch.test.ts";
import * as Flash from "../flash/flash.ts";
import { language as languageMiddleware } from "../middleware/language.ts";
import * as Query from "../query/query.ts";
import type { ResourceView } from "../rest/contract.ts";
import { resourceOfService } from "../rest/resource.ts";
import { application, idOf, site } from "../rest/todo-fixture.test.ts";
import * as components from "./index.ts";

isolate([["CHECK_CSRF", "true"]]);

/** Catalogue of a product: each text has its language in it. */
const catalogue = (tag: string, one: string, many: string) => ({
  book: {
    one,
    many,
    fields: Object.fromEntries(
      [
        "title",
        "summary",
        "pages",
        "rating",
        "price",
        "sold",
        "published_on",
        "read_at",
        "shelf_id",
        "extra",
        "state",
        "tags",
        "address",
        "address.street",
        "lines",
        "lines.count",
        "lines.unit",
        "code",
      ].map((name) => [name, `${tag}-${name}`]),
    ),
    choices: {
      state: { draft: `${tag}-draft`, sold_out: `${tag}-sold-out` },
      tags: { old: `${tag}-old`, new: `${tag}-new` },
      "lines.unit": { piece: `${tag}-piece`, box: `${tag}-box` },
    },
    links: { reviews: `${tag}-reviews` },
  },
});
const language = Language.make(
  "en",
  {
    en: catalogue("EN", "picture book", "picture books"),
    de: catalogue("DE", "Bilderbuch", "Bilderbücher"),
    fr: catalogue("FR", "album illustré", "albums illustrés"),
  },
  { framework: { de, fr } },
);
const { text } = language;

const schema = Schema.record({
  title: Schema.string({ min: 2, max: 80 }),
  summary: Schema.optional(Schema.text()),
  pages: Schema.int({ min: 1, max: 999 }),
  rating: Schema.optional(Schema.float()),
  price: Schema.decimal(),
  sold: Schema.bool(),
  published_on: Schema.date(),
  read_at: Schema.optional(Schema.datetime()),
  shelf_id: Schema.optional(Schema.uuid()),
  extra: Schema.optional(Schema.json()),
  state: Schema.oneOf(["draft", "sold_out"]),
  tags: Schema.list(Schema.oneOf(["old", "new"]), { min: 1 }),
  address: Schema.record({ street: Schema.string({ min: 1 }) }),
  lines: Schema.list(Schema.record({ count: Schema.int(), unit: Schema.oneOf(["piece", "box"]) })),
  code: Schema.optional(Schema.string({ sensitive: true })),
});
type Input = Schema.Infer<typeof schema>;
interface Book extends Input {
  readonly id: string;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const moment = new Date("2026-03-31T12:30:00Z");
const stored: Book = {
  id: idOf(1),
  version: 2,
  created_at: moment,
  updated_at: moment,
  title: "Heidi",
  summary: undefined,
  pages: 123,
  rating: 4.5,
  price: "12.50",
  sold: true,
  published_on: "2026-12-31",
  read_at: moment,
  shelf_id: idOf(7),
  extra: undefined,
  state: "sold_out",
  tags: ["old"],
  address: { street: "Alm" },
  lines: [{ count: 3, unit: "box" }],
  code: undefined,
};

const filterBy = {
  title: Query.text,
  pages: Query.range(Query.int),
  sold: Query.nullable(Query.bool),
  state: Query.anyOf(Query.oneOf("draft", "sold_out")),
  price: Query.decimal,
  created_at: Query.range(Query.timestamp),
};
const pages: components.ResourcePages<Book, Input> = {
  texts: text.book,
  schema,
  filterBy,
  sortBy: ["title"],
  labelOf: ({ title }) => title,
  layout: (request: Request, title: string, content: Html): Html =>
    html`<title>${title}</title>${components.navigation(request, [])} ${components.languageMenu(request)}
      <p role="status">${Flash.notice(request)}</p>
      <p role="alert">${Flash.alert(request)}</p>
      ${content}`,
};
const names = schema.fields.filter((name) => !["address", "lines", "code"].includes(name)) as (keyof Input)[];
const view: ResourceView<Book> = {
  index: components.listPage(pages, {
    columns: [...names, "created_at", "updated_at"],
    search: "filter",
    hasOrder: true,
    select: { value: ({ id }) => id, label: ({ title }) => title },
    before: (_, csrf) => components.bulkActions({ csrf, action: "/bulk", actions: [] }),
  }),
  show: components.itemPage(pages, { facts: [...names, "created_at", "updated_at"], links: text.book.links }),
  new: components.newPage(pages),
  edit: components.editPage(pages),
  layout: (request, title, content) => pages.layout(request, title, content),
};
const service = {
  find: () => stored,
  search: (query: Query.CompleteQuery) =>
    query.filter === "nothing" ? ([[], 0] as const) : ([[stored], query.offset + 300] as const),
  insert: () => ok(stored),
  update: () => ok({ ...stored, version: 3 }),
  delete: () => ok(),
};
const ask = application(
  [
    components.validationRoute("/validate", schema, () => ({ texts: text.book })),
    ...resourceOfService({ name: "books", schema, view, service, filterBy, sortBy: ["title"], texts: text.book }),
    ...resourceOfService({ name: "empty", schema, view, service: { ...service, search: () => [[], 0] as const } }),
    ...resourceOfService({ name: "kept", schema, view, service: { ...service, delete: () => error("§") } }),
  ].map((route) => choose([route], { middlewares: [languageMiddleware(language), ...site] })),
  [],
);

const sent = {
  title: "Mine",
  pages: "1",
  price: "1",
  published_on: "2026-01-01",
  state: "draft",
  tags: "new",
  code: "secret",
  "address.street": "Weg",
  "lines.0.count": "4",
  "lines.0.unit": "piece",
};
const wrong = {
  title: "",
  pages: "x",
  rating: "x",
  price: "x",
  published_on: "x",
  read_at: "x",
  shelf_id: "x",
  extra: "{",
  state: "x",
  "address.street": "",
  "lines.0.count": "x",
  "lines.0.unit": "x",
  summary: "\0",
};

/** Returns all pages of a resource in a language, by name. */
async function pagesIn(tag: string): Promise<Readonly<Record<string, string>>> {
  const visitor = new Browser((path, init) => {
    const headers = new Headers(init?.headers);
    headers.set("accept-language", tag);
    return ask(path, { ...init, headers });
  });
  const read = async (path: string): Promise<string> => (await visitor.get(path)).text();
  const tokenOn = async (path: string): Promise<string> =>
    /name="csrf" value="([^"]*)"/.exec(await read(path))?.[1] ?? "";
  const path = `/books/${idOf(1)}`;
  const submit = async (to: string, form: Record<string, string>): Promise<string> => {
    const response = await visitor.post(to, { ...form, csrf: await tokenOn("/books/new") });
    const location = response.headers.get("location");
    return location === null ? response.text() : read(location);
  };
  return {
    index: await read("/books"),
    empty: await read("/empty"),
    nothing: await read("/books?filter=nothing&offset=50"),
    filters: await read("/books?pages_from=x&sold=x&state=x&price=x&created_at_to=x&title=%00&sort=asc"),
    show: await read(path),
    new: await read("/books/new"),
    edit: await read(`${path}/edit`),
    created: await submit("/books", sent),
    updated: await submit(path, { ...sent, _method: "put", version: "2" }),
    deleted: await submit(path, { _method: "delete", version: "2" }),
    refused: await submit(`/kept/${idOf(1)}`, { _method: "delete", version: "2" }),
    refusedCreation: await submit("/books", wrong),
    refusedChange: await submit(path, { ...wrong, _method: "put", version: "2" }),
    conflict: await submit(path, { ...sent, _method: "put", version: "1" }),
    deletionConflict: await submit(path, { _method: "delete", version: "1" }),
    validation: await submit("/validate/title", { _method: "put", title: "x" }),
  };
}

/** Returns what a person can see or hear on a page. */
function visibleTexts(page: string): readonly string[] {
  const attributes = [...page.matchAll(/ (?:aria-label|placeholder|title|alt|data-[\w-]+)="([^"]*)"/g)];
  const nodes = [...page.matchAll(/>([^<]+)(?=<|$)/g)];
  const texts = [...attributes, ...nodes].map(([, shown = ""]) => shown.replaceAll(/\s+/g, " ").trim());
  return [...new Set(texts)].filter((shown) => /\p{L}{2}/u.test(shown));
}

/** Words that a language shares with English. */
const sharedWords = { de: ["(optional)"], fr: ["Actions"] } as const;

/** Values of the item and words that are the same in all languages. */
const sameEverywhere = new Set([
  "Heidi",
  "Alm",
  "Weg",
  "Mine",
  "English",
  "Deutsch",
  "Français",
  "§",
  idOf(7),
  "x",
  "{",
]);

/** Returns patterns of the texts of a group in English. */
function patternsOf(entry: unknown): readonly RegExp[] {
  if (typeof entry === "function") return patternsOf((entry as (...values: unknown[]) => unknown)(...values));
  if (typeof entry === "object" && entry !== null) return Object.values(entry).flatMap(patternsOf);
  const parts = String(entry)
    .split("§")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  if (!/\p{L}{2}/u.test(String(entry).replaceAll("§", ""))) return [];
  // A short word, such as "to", is a part of others and of other languages.
  return [new RegExp(parts.join("").length < 12 ? `^(.+: )?${parts.join(".+")}$` : parts.join(".+"), "u")];
}
// A list with one item is also a text, and a number that nothing is compared with.
const values = Array<unknown>(4).fill(["§"]);
const { search: _, ...schemaTexts } = en.schema as typeof en.schema & { readonly search?: unknown };
const english = [en.components, schemaTexts].flatMap(patternsOf);

describe("pages of a resource", async () => {
  const englishPages = await pagesIn("en");

  for (const [tag, shared] of Object.entries(sharedWords)) {
    test(`have no English text in ${tag}`, async () => {
      for (const [name, page] of Object.entries(await pagesIn(tag))) {
        const shown = visibleTexts(page).filter((one) => !shared.some((word) => word === one));
        const englishTexts = new Set(visibleTexts(englishPages[name] ?? ""));
        assert.ok(shown.length > 0 && englishTexts.size > 0, name);
        const same = shown.filter((one) => englishTexts.has(one) && !sameEverywhere.has(one));
        assert.deepEqual(same, [], `${name}: the same as in English`);
        const found = shown.filter((one) => english.some((pattern) => pattern.test(one)) || /\bEN-/.test(one));
        assert.deepEqual(found, [], `${name}: English`);
      }
    });
  }

  test("have a pattern for each English text", () => {
    const shown = Object.values(englishPages).flatMap(visibleTexts);
    assert.ok(english.filter((pattern) => shown.some((one) => pattern.test(one))).length > 60);
  });
});
