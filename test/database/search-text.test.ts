// Full-text search on every database: the same words find the same rows, and no text is an error.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type AnySearchParameters,
  type Database,
  fullTextIndex,
  Migration,
  prepareSearchRequest,
  Row,
  runCursorSearch,
  runSearchRequest,
  searchCursor,
  sql,
  type Statement,
} from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Cleaner } from "../../src/cleaner/index.ts";
import { Configuration, ConfigurationInternals } from "../../src/config/index.ts";
import { payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { sample } from "../rounds.ts";

const pageRow = Row.record({ id: Row.int, title: Row.text, body: Row.nullable(Row.text) });
type Page = Row.Infer<typeof pageRow>;
const columns = sql.columns(pageRow);

const pageText = fullTextIndex("pages", ["title", "body"]);
const rules = { from: sql`pages`, row: pageRow, fullText: pageText };
const request = prepareSearchRequest({ ...rules, sort: ["id", "relevance"] });
const rankedRequest = prepareSearchRequest({ ...rules, sort: ["relevance", "id"] });

const pages: readonly Page[] = [
  { id: 1, title: "The quick brown fox", body: "jumps over the lazy dog" },
  { id: 2, title: "Quick start", body: "To be or not to be" },
  { id: 3, title: "Der Äpfelbaum", body: "Straße, café, naïve" },
  { id: 4, title: "foo_bar and foo-bar", body: "it's at http://example.com/path?x=1, version 3.14" },
  { id: 5, title: "nothing", body: null },
  { id: 6, title: "lazy", body: "quickly, the dog's bone" },
  { id: 7, title: "go", body: "is a language of 2009" },
  { id: 8, title: "quick quick quick", body: "quick" },
  { id: 9, title: "%_\\'\" 100%", body: "()*+-~<>@:&|!" },
  { id: 10, title: "ФОНДЮ", body: "раклет" },
];

const cases: Readonly<Record<string, readonly number[]>> = {
  quick: [1, 2, 8],
  QUICK: [1, 2, 8],
  "quick fox": [1],
  "fox quick": [1],
  "quick missing": [],
  '"quick brown"': [1],
  '"brown quick"': [],
  '"quick brown': [1],
  "quick -fox": [2, 8],
  "-quick": [3, 4, 5, 6, 7, 9, 10],
  '-"quick brown" quick': [2, 8],
  "-quick -lazy": [3, 4, 5, 7, 9, 10],
  "quick*": [1, 2, 6, 8],
  "qui*": [1, 2, 6, 8],
  the: [1, 6],
  "to be": [2],
  '"to be or not"': [2],
  '"be to"': [],
  be: [2],
  go: [7],
  "-go quick": [1, 2, 8],
  "go*": [7],
  äpfelbaum: [3],
  ÄPFELBAUM: [3],
  apfelbaum: [],
  straße: [3],
  café: [3],
  cafe: [],
  "foo bar": [4],
  foo_bar: [4],
  "foo-bar": [4],
  '"bar and foo"': [4],
  example: [4],
  "example.com": [4],
  path: [4],
  "3.14": [4],
  "it's": [4],
  "dog's": [6],
  dog: [1, 6],
  2009: [7],
  100: [9],
  "100%": [9],
  фондю: [10],
  РАКЛЕТ: [10],
  "": pages.map(({ id }) => id),
  " ": [],
  "!!!": [],
  "-": [],
  '"': [],
  '""': [],
  "*": [],
  "quick AND fox": [],
  "quick OR": [2],
  "NEAR(quick fox)": [],
  "title:quick": [],
  "👍": [],
  // A token without a word is none of the 32 words.
  [`${"- ".repeat(40)}quick`]: [1, 2, 8],
  [`${"quick ".repeat(32)}missing`]: [1, 2, 8],
};

const oddTexts: readonly string[] = [
  "\u0301",
  "e\u0301",
  "a\u0301b\u0301c",
  "½",
  "²³",
  "٣٤٥",
  "日本語",
  "한국어",
  "𝒜𝒷𝒸",
  "𐐀𐐁𐐂",
  "ﬁﬂﬃ",
  "İİİ",
  "ßßß",
  "\u200D",
  "\u2028",

  "a".repeat(500),
  "ä".repeat(500),
  "𝒜".repeat(250),
  "a ".repeat(250),
  "-a ".repeat(160),
  '"'.repeat(500),
  "*".repeat(500),

  "null",
  "NOT",
  "AND OR NOT",
  "a*b*c*",
  "+a",
  "~quick",
  "<quick",
  "quick@5",
  "(quick",
  "quick)",
  "quick^2",
  "^quick",
  "{title}:x",
  "\uFEFFabc",
  "٠١٢",
  "ⅣⅤⅥ",
  "①②③",
  "a\u0300\u0301\u0302*",
  "__proto__",
  "quick:*",
  "'quick':A",
  "\\quick",
  "$1 ?",
];

function fullTextCases(name: string, database: Database): void {
  describe(name, () => {
    const migrations = [
      Migration.make("pages", [
        Migration.step(
          "pages",
          ({ int, string, text }) =>
            `create table pages (id ${int} primary key, title ${string(200)} not null, body ${text})`,
          { down: "drop table pages" },
        ),
        Migration.step(
          "first page",
          "insert into pages (id, title, body) values (1, 'The quick brown fox', 'jumps over the lazy dog')",
          {
            down: "delete from pages",
          },
        ),
        Migration.step("full text", pageText.up, { down: pageText.down }),
      ]),
    ];
    const migration = Migration.service({ database, migrations, onPending: "run" });

    const search = async (parameters: AnySearchParameters): Promise<readonly number[]> => {
      const [items] = await runSearchRequest(database, request, { sortBy: ["id"], limit: 100, ...parameters });
      return items.map(({ id }) => id);
    };
    const insert = ({ id, title, body }: Page): Promise<number> =>
      database.exec(sql`insert into pages (${columns}) values (${id}, ${title}, ${body})`);

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [] });
      await migration.start({ services: [] });
      for (const page of pages.slice(1)) await insert(page);
    });
    after(async () => {
      await migration.stop();
      await database.stop();
      ConfigurationInternals.reset();
    });

    test("the words of a text find rows, in any case", async () => {
      for (const [text, ids] of Object.entries(cases)) {
        assert.deepEqual(await search({ text }), ids, JSON.stringify(text));
        const [, total] = await runSearchRequest(database, request, { text });
        assert.equal(total, ids.length, text);
      }
    });

    test("a text joins other conditions", async () => {
      assert.deepEqual(await search({ text: "quick", where: sql`id > 1` }), [2, 8]);
      assert.deepEqual(await search({ text: "-quick -lazy", where: sql`id > 4`, total: false }), [5, 7, 9, 10]);
    });

    test("the index follows changes of the table", async () => {
      await insert({ id: 50, title: "zebra", body: null });
      assert.deepEqual(await search({ text: "zebra" }), [50]);
      await database.exec(sql`update pages set body = ${"striped horse"} where id = ${50}`);
      assert.deepEqual([await search({ text: "striped" }), await search({ text: "zebra horse" })], [[50], [50]]);
      await database.exec(sql`update pages set title = ${"giraffe"}, id = ${51} where id = ${50}`);
      assert.deepEqual([await search({ text: "zebra" }), await search({ text: "giraffe" })], [[], [51]]);
      await database.exec(sql`delete from pages where id = ${51}`);
      assert.deepEqual([await search({ text: "giraffe" }), await search({ text: "horse" })], [[], []]);
    });

    test("orders by relevance, best first, and pages by cursor have each row once", async () => {
      const [best] = await runSearchRequest(database, rankedRequest, { text: "quick" });
      assert.deepEqual(best[0]?.id, 8);
      const all = best.map(({ id }) => id);
      assert.deepEqual(
        all.toSorted((left, right) => left - right),
        [1, 2, 8],
      );
      for (const total of [true, false]) {
        const parameters: AnySearchParameters = { text: "quick", limit: 1, total };
        const seen: number[] = [];
        let page = await runCursorSearch(database, rankedRequest, parameters);
        for (;;) {
          seen.push(...page[0].map(({ id }) => id));
          const { next } = page[2];
          if (next === undefined) break;
          page = await runCursorSearch(database, rankedRequest, { ...parameters, after: next });
        }
        assert.deepEqual(seen, all);
        const back = await runCursorSearch(database, rankedRequest, { ...parameters, before: page[2].previous });
        assert.deepEqual([back[0][0]?.id, back[2].offset], [all[1], 1]);
      }
      const unranked = await runSearchRequest(database, rankedRequest, { sort: "asc" });
      assert.deepEqual(
        unranked[0].map(({ id }) => id),
        pages.map(({ id }) => id),
      );
      const excluding = await runSearchRequest(database, rankedRequest, { text: "-quick", sort: "asc" });
      assert.deepEqual(
        excluding[0].map(({ id }) => id),
        cases["-quick"],
      );
      await assert.rejects(searchCursor(rankedRequest, pages[0] as Page, { text: "quick" }), { code: "E_SEARCH" });
    });

    test("refuses a cursor of another text", async () => {
      for (const searched of [request, rankedRequest]) {
        const [, , { next }] = await runCursorSearch(database, searched, { text: "quick", limit: 1 });
        for (const text of ["quick*", undefined]) {
          await assert.rejects(runCursorSearch(database, searched, { text, after: next }), { code: "E_SEARCH" });
        }
      }
    });

    test("two thousand hostile texts and odd characters are words, never an error", async () => {
      const injections = [...new Set(payloads(3000))].filter((text) => text.length <= 500).slice(0, 2000);
      const texts = [...sample(injections), ...oddTexts];
      for (const text of texts) {
        for (const searched of [request, rankedRequest]) {
          try {
            const [items] = await runSearchRequest(database, searched, { text, total: false });
            assert.ok(items.length <= pages.length);
          } catch (error) {
            throw new Error(`The text ${JSON.stringify(text)} failed`, { cause: error });
          }
        }
      }
      assert.equal((await runSearchRequest(database, request))[1], pages.length);
    });

    test("refuses texts that cannot be searched", async () => {
      await assert.rejects(search({ text: "x".repeat(501) }), { code: "E_SEARCH", status: 400 });
      await assert.rejects(search({ text: "a\0" }), { code: "E_SQL_TEXT" });
      const plain = prepareSearchRequest({ from: sql`pages`, row: pageRow });
      await assert.rejects(runSearchRequest(database, plain, { text: "a" }), { code: "E_SEARCH", status: 400 });
    });

    test("a long text with many different words is stored", async () => {
      const words = Array.from({ length: 120_000 }, (_, index) =>
        String.fromCodePoint(0x20_000 + (index % 40_000), 0x4e00 + (index % 20_000)),
      );
      await insert({ id: 60, title: "long", body: words.join(" ") });
      assert.deepEqual(await search({ text: "long" }), [60]);
      await database.exec(sql`delete from pages where id = 60`);
    });

    test("the cleaner leaves an index that works", async () => {
      await Cleaner.cleanAll();
      await insert({ id: 2, title: "after the cleaner", body: null });
      // The migration has inserted the first page, which therefore stays.
      assert.deepEqual([await search({ text: "cleaner" }), await search({ text: "quick" })], [[2], [1]]);
    });

    test("the migration can be reverted and applied again", async () => {
      const dialect = database.dialect().name;
      await database.query(async (handle) => {
        for (const statement of [...pageText.down[dialect], ...pageText.up[dialect]]) await handle.exec(raw(statement));
      });
      assert.deepEqual(await search({ text: "cleaner" }), [2]);
    });
  });
}

/** Returns a statement of text that is not a template. */
const raw = (text: string): Statement<unknown> => sql(Object.assign([text], { raw: [text] }));

fullTextCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => fullTextCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => fullTextCases("MariaDB", mariadb({ url })));

test("a full-text index refuses names that are no identifiers, and a search that cannot use it", () => {
  for (const [table, names] of [
    ["pages; drop table pages", ["title"]],
    ["pages", ["ti'tle"]],
    ["pages", []],
  ] as const) {
    assert.throws(() => fullTextIndex(table, names), { code: "E_SQL_IDENTIFIER" });
  }
  assert.throws(() => fullTextIndex("pages", ["title"], { language: "x');--" }), { code: "E_SQL_IDENTIFIER" });
  const query = sql`select count(*) over () as total, ${columns} from pages`;
  assert.throws(() => prepareSearchRequest({ search: query, row: pageRow, fullText: pageText }), {
    code: "E_SEARCH_DEFINITION",
  });
});
