import assert from "node:assert/strict";
import {
  prepareSearchRequest,
  Row,
  type RowType,
  runSearchRequest,
  type SearchParameters,
  sql,
  type SqlPart,
} from "limmat/database";
import { assertErrorCode } from "limmat/testing";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { payloads } from "./payloads.ts";
import type { DatabaseContractContext } from "./subject.ts";

interface SearchRow {
  readonly id: number;
  readonly title: string;
  readonly note: string | null;
  readonly rank_no: number;
}

const searchRow: RowType<SearchRow> = Row.record({
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

/** Printable characters of ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic, in order. */
const printableCharacters: readonly string[] = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x391, 0x3c9],
  [0x400, 0x45f],
].flatMap(([first = 0, last = 0]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
);

/** Returns the text with ASCII letters in lower case: a filter matches them case-insensitively. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const expectedTitles = (filter: string): readonly string[] =>
  titles.filter((title) => fold(title).includes(fold(filter)));

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

const specialCharacters = ["%", "_", "!", "\\", "'", "ä"];

/** Generates `count` different filters: substrings of the titles in varying case, every third with a special character. */
function generateFilters(count: number): readonly string[] {
  const generated = new Set<string>();
  for (const length of [1, 2, 3, 4, 5, 6, 7]) {
    for (const title of titles) {
      const characters = Array.from(title);
      for (let start = 0; start + length <= characters.length; start++) {
        const piece = characters.slice(start, start + length).join("");
        const position = generated.size;
        const casedPiece = position % 2 === 0 ? piece.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : piece;
        generated.add(
          position % 3 === 0
            ? `${casedPiece}${specialCharacters[(position / 3) % specialCharacters.length] ?? ""}`
            : casedPiece,
        );
      }
    }
  }
  assert.ok(generated.size >= count, `${generated.size} filters were generated`);
  return [...generated].slice(0, count);
}

const invalidParameters: Readonly<Record<string, SearchParameters>> = {
  "a limit of 0": { limit: 0 },
  "a negative limit": { limit: -1 },
  "a limit that is not an integer": { limit: 1.5 },
  "a limit that is NaN": { limit: Number.NaN },
  "an infinite limit": { limit: Infinity },
  "a limit beyond 2^53": { limit: 2 ** 60 },
  "a negative offset": { offset: -1 },
  "an offset that is not an integer": { offset: 0.5 },
  "an infinite offset": { offset: Infinity },
  "a filter of 2,000 characters": { filter: "x".repeat(2000) },
  "an unknown sort column": { sortBy: "note; drop table c_guard" },
  "an unknown direction": { sort: "desc; drop table c_guard" as "desc" },
};

/** Registers the cases of search. */
export function searchCases({ database, runner, subject }: DatabaseContractContext): void {
  const { before, test } = runner;
  const rules = { row: searchRow, filter: ["title", "note"], sort: ["rank_no", "title", "note"] };
  const request = prepareSearchRequest({ ...rules, from: sql`c_search` });
  const search = (parameters: SearchParameters): Promise<readonly [readonly SearchRow[], number]> =>
    runSearchRequest(database, request, parameters);
  const findTitles = async (parameters: SearchParameters): Promise<readonly string[]> =>
    (await search({ sort: "asc", limit: 1000, ...parameters }))[0].map(({ title }) => title);

  before(async () => {
    const rows = titles.map((title, index) => sql`(${index + 1}, ${title}, ${null}, ${1})`);
    await database.exec(sql`insert into c_search (id, title, note, rank_no) values ${sql.join(rows)}`);
    await database.exec(sql`insert into c_guard (id, secret) values (${1}, ${"still here"})`);
  });

  for (const filter of filters) {
    test(`the filter ${JSON.stringify(filter)} matches literally, ASCII letters in any case`, async () => {
      assert.deepEqual([...(await findTitles({ filter }))].sort(), [...expectedTitles(filter)].sort());
    });
  }
  test("five hundred generated filters return the expected rows", async () => {
    let matching = 0;
    for (const filter of generateFilters(500)) {
      const rows = expectedTitles(filter);
      if (rows.length > 0) matching += 1;
      assert.deepEqual([...(await findTitles({ filter }))].sort(), [...rows].sort(), JSON.stringify(filter));
    }
    assert.ok(matching > 200, `${matching} filters matched something`);
  });

  test("every printable character as a filter matches itself, and an ASCII letter its other case", async () => {
    const rollback = new Error("undo");
    const inserted = printableCharacters.map((title, index) => sql`(${10_000 + index}, ${title}, ${null}, ${1})`);
    const wholeTable = prepareSearchRequest({
      row: searchRow,
      filter: ["title"],
      from: sql`c_search`,
      where: sql`id >= 10000`,
    });
    const run = database.transaction(async () => {
      await database.exec(sql`insert into c_search (id, title, note, rank_no) values ${sql.join(inserted)}`);
      for (const filter of printableCharacters) {
        const [items] = await runSearchRequest(database, wholeTable, { filter, sort: "asc" });
        const expected = printableCharacters.filter((character) => fold(character) === fold(filter));
        assert.deepEqual(
          items.map(({ title }) => title),
          expected,
          JSON.stringify(filter),
        );
      }
      throw rollback;
    });
    await assert.rejects(run, rollback);
  });
  test("a filter matches numbers and UUIDs by their text", async () => {
    const numbers = prepareSearchRequest({ row: searchRow, filter: ["id", "rank_no"], from: sql`c_search` });
    const [items] = await runSearchRequest(database, numbers, { filter: "12" });
    assert.deepEqual(
      items.map(({ id }) => id),
      [12],
    );

    const uuidRow = Row.record({ id: Row.int, v: Row.uuid });
    const uuids = prepareSearchRequest({ row: uuidRow, filter: ["v"], from: sql`c_uuid` });
    await database.exec(sql`insert into c_uuid (id, v) values (${900}, ${"5eaecd00-0000-4000-8000-00000000000f"})`);
    const [found] = await runSearchRequest(database, uuids, { filter: "AECD00-0000-4000" });
    assert.deepEqual(
      found.map(({ id }) => id),
      [900],
    );
    await database.exec(sql`delete from c_uuid where id = ${900}`);
  });
  test("the total counts all matches on every page, also on an empty one", async () => {
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
  test("a custom query returns the same as a table", async () => {
    const query = sql`select count(*) over () as total, ${sql.columns(searchRow)} from c_search`;
    const customRequest = prepareSearchRequest({ ...rules, search: query });
    for (const sort of ["asc", "desc"] as const) {
      for (const filter of ["", "a", "apple", "no such title"]) {
        for (const where of [undefined, sql`id > ${3}`]) {
          for (const offset of [0, 2, 100]) {
            const parameters = { sort, filter, where, offset, limit: 3 };
            assert.deepEqual(await runSearchRequest(database, customRequest, parameters), await search(parameters));
          }
        }
      }
    }
  });
  test("an empty filter matches everything", async () => {
    assert.equal((await search({ filter: "" }))[1], titles.length);
  });
  test("pages of rows with equal sort values contain each row once, in both directions", async () => {
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
  test("the default is the first sort column, descending, fifty rows", async () => {
    const [items] = await search({});
    assert.deepEqual(
      items.map(({ id }) => id),
      titles.map((_, index) => index + 1).toReversed(),
    );
  });
  test("text sorts by code point", async () => {
    assert.deepEqual(await findTitles({ sortBy: "title" }), byCodePoint(titles));
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
  test("a condition restricts the rows and the total", async () => {
    const [items, total] = await search({ where: sql`id <= ${3}`, filter: "apple" });
    assert.deepEqual([items.length, total], [2, 2]);
    assert.deepEqual((await search({ where: sql`id = ${1} or id = ${3}`, filter: "a" }))[1], 1);
  });
  test("a condition can be sql.in, sql.notIn or sql.join", async () => {
    const idsOf = async (where: SqlPart): Promise<readonly number[]> => {
      const [items] = await search({ where, sortBy: "title" });
      return items.map(({ id }) => id).toSorted((left, right) => left - right);
    };
    assert.deepEqual(await idsOf(sql.in(sql`id`, [1, 3])), [1, 3]);
    const conditions = [sql.notIn(sql`id`, [2]), sql`id <= ${3}`];
    assert.deepEqual(await idsOf(sql.join(conditions, sql` and `)), [1, 3]);
    const second = prepareSearchRequest({ ...rules, from: sql`c_search`, where: sql.in(sql`id`, [2]) });
    assert.equal((await runSearchRequest(database, second, { where: sql.in(sql`id`, [1, 2]) }))[1], 1);
  });
  test("a filter can be a custom condition", async () => {
    const customRequest = prepareSearchRequest({
      search: sql`select count(*) over () as total, ${sql.columns(searchRow)} from c_search`,
      row: searchRow,
      filter: (contains) => sql`${contains("title")} and id > ${1}`,
      where: sql`rank_no = ${1}`,
    });
    const [items] = await runSearchRequest(database, customRequest, { filter: "apple" });
    assert.deepEqual(
      items.map(({ title }) => title),
      ["apple pie"],
    );
  });

  for (const [title, parameters] of Object.entries(invalidParameters)) {
    test(`${title} is refused`, async () => {
      const thrown = await assertErrorCode("E_SEARCH", () => search(parameters));
      assert.equal(thrown.status, 400);
    });
  }
  test("a filter with NUL is refused", () => rejectsWithCode("E_SQL_TEXT", () => search({ filter: "a\0" })));
  test("refuses a filter for a search without filter columns", () => {
    const plain = prepareSearchRequest({
      search: sql`select count(*) over () as total, ${sql.columns(searchRow)} from c_search`,
      row: searchRow,
    });
    return rejectsWithCode("E_SEARCH", () => runSearchRequest(database, plain, { filter: "a" }));
  });

  test("SQL injections as filter and value are plain text", async () => {
    // Because 11 divides none of the lengths of the lists that payloads combine, every part still occurs.
    const step = subject.isShort === true ? 11 : 1;
    for (const [index, payload] of [...payloads(2000)].entries()) {
      if (index % step !== 0) continue;
      if (payload.length <= 1024)
        assert.deepEqual(await findTitles({ filter: payload }), expectedTitles(payload), payload);
      const { v } = await database.find(sql.row(Row.record({ v: Row.text }))`select secret as v from c_guard
        where id = ${1} and secret <> ${payload} and not ${sql.contains(sql`secret`, `${payload}!`)}`);
      assert.equal(v, "still here", payload);
    }
  });
}

function byCodePoint(texts: readonly string[]): readonly string[] {
  return texts.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
