import assert from "node:assert/strict";
import {
  prepareSearchRequest,
  Row,
  runSearchRequest,
  type SearchParameters,
  sql,
  type RowType,
} from "../../database/index.ts";
import { assertCode, refuses } from "./assert-code.ts";
import { payloads } from "./payloads.ts";
import type { Setting } from "./subject.ts";

interface Found {
  readonly id: number;
  readonly title: string;
  readonly note: string | null;
  readonly rank_no: number;
}

const row: RowType<Found> = Row.record({
  id: Row.int,
  title: Row.text,
  note: Row.nullable(Row.text),
  rank_no: Row.int,
});

const titles: readonly string[] = [
  "Apple",
  "apple pie",
  "Äpfel",
  "äpfel",
  "100%",
  "100 percent",
  "a_b",
  "aXb",
  String.raw`back\slash`,
  "it's",
  'say "hi"',
  "ex!clam",
  "emoji 👍 here",
  "emoji 👎 here",
  "ÉTÉ",
  "été",
  "STRASSE",
  "straße",
  "İstanbul",
  "istanbul",
  "trailing ",
  "",
  "[a-c]",
  "*",
];

/** What a filter means: it is contained, and the letters A to Z are as good as a to z. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const expected = (filter: string): readonly string[] => titles.filter((title) => fold(title).includes(fold(filter)));

const filters: readonly string[] = [
  "apple",
  "APPLE",
  "äpfel",
  "ÄPFEL",
  "%",
  "_",
  "!",
  "\\",
  "\\\\",
  "100%",
  "a_b",
  "'",
  "''",
  '"',
  "👍",
  "é",
  "É",
  "ss",
  "ß",
  "i",
  "I",
  "İ",
  "ı",
  "[a-c]",
  "*",
  "trailing ",
  "%%",
  "!%",
  "a%b",
  "no such title",
];

const odd = ["%", "_", "!", "\\", "'", "ä"];

/** So many different filters: pieces of the titles, in either case, every third with something odd at its end. */
function madeFilters(count: number): readonly string[] {
  const made = new Set<string>();
  for (const length of [1, 2, 3, 4, 5, 6, 7]) {
    for (const title of titles) {
      const signs = Array.from(title);
      for (let start = 0; start + length <= signs.length; start++) {
        const piece = signs.slice(start, start + length).join("");
        const turn = made.size;
        const cased = turn % 2 === 0 ? piece.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : piece;
        made.add(turn % 3 === 0 ? `${cased}${odd[(turn / 3) % odd.length] ?? ""}` : cased);
      }
    }
  }
  assert.ok(made.size >= count, `${made.size} filters were made`);
  return [...made].slice(0, count);
}

const refused: Readonly<Record<string, SearchParameters>> = {
  "a limit of 0": { limit: 0 },
  "a negative limit": { limit: -1 },
  "a limit that is no whole number": { limit: 1.5 },
  "a limit that is no number": { limit: Number.NaN },
  "an infinite limit": { limit: Infinity },
  "a limit beyond 2^53": { limit: 2 ** 60 },
  "a negative offset": { offset: -1 },
  "an offset that is no whole number": { offset: 0.5 },
  "an infinite offset": { offset: Infinity },
  "a filter of 2,000 characters": { filter: "x".repeat(2000) },
  "a column that is not allowed": { sortBy: "note; drop table c_guard" },
  "a direction that is none": { sort: "desc; drop table c_guard" as "desc" },
};

/** What searching promises. */
export function searchCases({ database, runner }: Setting): void {
  const { before, test } = runner;
  const rules = { row, filter: ["title", "note"], sort: ["rank_no", "title", "note"] };
  const request = prepareSearchRequest({ ...rules, from: sql`c_search` });
  const search = (parameters: SearchParameters): Promise<readonly [readonly Found[], number]> =>
    runSearchRequest(database, request, parameters);
  const found = async (parameters: SearchParameters): Promise<readonly string[]> =>
    (await search({ sort: "asc", limit: 1000, ...parameters }))[0].map(({ title }) => title);

  before(async () => {
    const rows = titles.map((title, index) => sql`(${index + 1}, ${title}, ${null}, ${1})`);
    await database.exec(sql`insert into c_search (id, title, note, rank_no) values ${sql.join(rows)}`);
    await database.exec(sql`insert into c_guard (id, secret) values (${1}, ${"still here"})`);
  });

  for (const filter of filters) {
    test(`the filter ${JSON.stringify(filter)} matches itself, in ASCII letters of any case`, async () => {
      assert.deepEqual([...(await found({ filter }))].sort(), [...expected(filter)].sort());
    });
  }
  test("five hundred filters made of parts of the titles give the rows that they should", async () => {
    let matching = 0;
    for (const filter of madeFilters(500)) {
      const rows = expected(filter);
      if (rows.length > 0) matching += 1;
      assert.deepEqual([...(await found({ filter }))].sort(), [...rows].sort(), JSON.stringify(filter));
    }
    assert.ok(matching > 200, `${matching} filters matched something`);
  });

  test("the total is that of all that match, on every page, an empty one included", async () => {
    for (const [limit, offset, items] of [
      [5, 0, 5],
      [5, 20, 4],
      [1000, 0, titles.length],
      [5, 1000, 0],
      [1, Number.MAX_SAFE_INTEGER, 0],
    ] as const) {
      const [page, total] = await search({ limit, offset });
      assert.deepEqual([page.length, total], [items, titles.length], `limit ${limit}, offset ${offset}`);
    }
    assert.deepEqual(await search({ filter: "no such title" }), [[], 0]);
    assert.deepEqual(await search({ filter: "no such title", offset: 10 }), [[], 0]);
    assert.deepEqual((await search({ filter: "apple", offset: 10 }))[1], 2);
  });
  test("a query of one's own gives what a table does", async () => {
    const query = sql`select count(*) over () as total, ${sql.columns(row)} from c_search`;
    const own = prepareSearchRequest({ ...rules, search: query });
    for (const sort of ["asc", "desc"] as const) {
      for (const filter of ["", "a", "apple", "no such title"]) {
        for (const where of [undefined, sql`id > ${3}`]) {
          for (const offset of [0, 2, 100]) {
            const parameters = { sort, filter, where, offset, limit: 3 };
            assert.deepEqual(await runSearchRequest(database, own, parameters), await search(parameters));
          }
        }
      }
    }
  });
  test("an empty filter is none", async () => {
    assert.equal((await search({ filter: "" }))[1], titles.length);
  });
  test("a walk over rows that sort alike shows each once, in both directions", async () => {
    for (const sort of ["asc", "desc"] as const) {
      const seen: number[] = [];
      for (let offset = 0; offset < titles.length; offset += 5) {
        const [items] = await search({ sort, limit: 5, offset });
        seen.push(...items.map(({ id }) => id));
      }
      const all = titles.map((_, index) => index + 1);
      assert.deepEqual(seen, sort === "asc" ? all : all.toReversed());
    }
  });
  test("the default is the first column, downwards, fifty rows", async () => {
    const [items] = await search({});
    assert.deepEqual(
      items.map(({ id }) => id),
      titles.map((_, index) => index + 1).toReversed(),
    );
  });
  test("text sorts by code point", async () => {
    assert.deepEqual(await found({ sortBy: "title" }), byCodePoint(titles));
  });
  test("NULL sorts below all values, in both directions", async () => {
    await database
      .transaction(async () => {
        await database.exec(sql`update c_search set note = ${"note"} where id = ${3}`);
        assert.equal((await search({ sortBy: "note", sort: "asc" }))[0].at(-1)?.id, 3);
        assert.equal((await search({ sortBy: "note", sort: "desc" }))[0].at(0)?.id, 3);
        throw new Error("undo");
      })
      .catch(() => {});
  });
  test("a condition for one search narrows it, and the total", async () => {
    const [items, total] = await search({ where: sql`id <= ${3}`, filter: "apple" });
    assert.deepEqual([items.length, total], [2, 2]);
    assert.deepEqual((await search({ where: sql`id = ${1} or id = ${3}`, filter: "a" }))[1], 1);
  });
  test("a filter may be a condition of one's own", async () => {
    const own = prepareSearchRequest({
      search: sql`select count(*) over () as total, ${sql.columns(row)} from c_search`,
      row,
      filter: (contains) => sql`${contains("title")} and id > ${1}`,
      where: sql`rank_no = ${1}`,
    });
    const [items] = await runSearchRequest(database, own, { filter: "apple" });
    assert.deepEqual(
      items.map(({ title }) => title),
      ["apple pie"],
    );
  });

  for (const [title, parameters] of Object.entries(refused)) {
    test(`${title} is refused`, async () => {
      const thrown = await assertCode("E_SEARCH", () => search(parameters));
      assert.equal(thrown.status, 400);
    });
  }
  test("a filter with NUL is refused", () => refuses("E_SQL_TEXT", () => search({ filter: "a\0" })));
  test("a search without a filter refuses one", () => {
    const plain = prepareSearchRequest({
      search: sql`select count(*) over () as total, ${sql.columns(row)} from c_search`,
      row,
    });
    return refuses("E_SEARCH", () => runSearchRequest(database, plain, { filter: "a" }));
  });

  test("two thousand hostile texts as filter, value and id are nothing but text", async () => {
    for (const payload of payloads(2000)) {
      if (payload.length <= 1024) assert.deepEqual(await found({ filter: payload }), expected(payload), payload);
      const { v } = await database.find(sql.row(Row.record({ v: Row.text }))`select secret as v from c_guard
        where id = ${1} and secret <> ${payload} and not ${sql.contains(sql`secret`, `${payload}!`)}`);
      assert.equal(v, "still here", payload);
    }
  });
}

function byCodePoint(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
