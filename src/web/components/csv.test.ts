import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as check, constantFrom, property, string, tuple } from "fast-check";
import type { Response } from "../../http/message/index.ts";
import { csv } from "./index.ts";
import { rounds } from "../../../test/rounds.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const text = async ({ body }: Response): Promise<string> => {
  let written = "";
  for await (const chunk of body as AsyncIterable<string>) written += chunk;
  return written;
};
/** Reads a CSV file as RFC 4180 says, without the byte order mark. */
function parse(file: string, separator: string): string[][] {
  const rows: string[][] = [];
  let [row, index]: [string[], number] = [[], 1];
  while (index < file.length) {
    let cell = "";
    if (file[index] === '"') {
      for (index += 1; file[index] !== '"' || file[index + 1] === '"'; index += 1) {
        if (file[index] === '"') index += 1;
        cell += file[index];
      }
      index += 1;
    } else {
      while (file[index] !== separator && file[index] !== "\r") cell += file[index++];
    }
    row.push(cell);
    if (file[index] === separator) index += 1;
    else {
      assert.equal(file.slice(index, index + 2), "\r\n");
      [rows[rows.length], row, index] = [row, [], index + 2];
    }
  }
  return rows;
}
const cells = async (values: readonly unknown[], options = {}): Promise<string[]> => {
  const file = await text(
    csv(
      values.map((value) => ({ value: value as string })),
      ["value"],
      options,
    ),
  );
  return file.slice(1).split("\r\n").slice(1, -1);
};

test("a CSV file has a heading, typed cells and a name", async () => {
  const rows = [
    { id: 1, title: 'A "book", new', sold: true, added: new Date(0), extra: { a: 1 }, none: undefined },
    { id: -2n, title: "", sold: false, added: new Date(Number.NaN), extra: null, none: Number.NaN },
  ];
  const columns = [
    "id",
    "title",
    "sold",
    "added",
    "extra",
    "none",
    { label: "Length", value: (row: (typeof rows)[0]) => row.title.length },
    { label: "T", name: "title" },
  ] as const;
  const response = csv(rows, columns, { filename: 'Bücher "1".csv' });
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.equal(
    response.headers.get("content-disposition"),
    `attachment; filename="B_cher _1_.csv"; filename*=UTF-8''B%C3%BCcher%20%221%22.csv`,
  );
  assert.equal(
    await text(response),
    '\ufeff"Id","Title","Sold","Added","Extra","None","Length","T"\r\n' +
      '1,"A ""book"", new",true,1970-01-01T00:00:00.000Z,"{""a"":1}",,13,"A ""book"", new"\r\n' +
      '-2,"",false,,,,0,""\r\n',
  );
});

test("a text that a spreadsheet could take for a formula gets an apostrophe, a number does not", async () => {
  const hostile = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r1",
    "\n1",
    " =1",
    '"=1',
    "＝1",
    "\u200b=1",
    "\0=1",
    "\ufeff=1",
  ];
  for (const value of hostile)
    assert.match(
      (await text(csv([{ value }], ["value"]))).split("\r\n").slice(1).join("\r\n"),
      /^"'/,
      JSON.stringify(value),
    );
  assert.deepEqual(await cells([-1, 1, -1n, "a=1", "1-2", "'=1", ""]), [
    "-1",
    "1",
    "-1",
    '"a=1"',
    '"1-2"',
    `"'=1"`,
    '""',
  ]);
  assert.deepEqual(await cells(["=1"], { escapesFormulas: false }), ['"=1"']);
  assert.deepEqual(await cells([{ toJSON: () => undefined }]), ['""']);
});

test("a heading is guarded as well", async () => {
  const file = await text(csv([], [{ label: "=1+1", value: () => 1 }]));
  assert.equal(file, '\ufeff"\'=1+1"\r\n');
});

test("a spreadsheet that expects another separator, or reads lines alone, finds no formula either", async () => {
  for (const [separator, others] of [
    [",", ";\t"],
    [";", ",\t"],
    ["\t", ",;"],
  ] as const) {
    for (const other of others) {
      assert.deepEqual(
        await cells([`a${other}=1`, `a${other}" -1`, `a${other}\u3000@1`, `a${other}b`], { separator }),
        [`"a${other}'=1"`, `"a${other}'"" -1"`, `"a${other}'\u3000@1"`, `"a${other}b"`],
      );
    }
    assert.equal(await text(csv([{ value: "a\n=1" }], ["value"], { separator })), '\ufeff"Value"\r\n"a\n\'=1"\r\n');
  }
});

test("2,000 hostile texts come back as they were, apart from apostrophes, and no line begins with a formula", async () => {
  const part = constantFrom(
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    '"',
    "'",
    ",",
    ";",
    " ",
    "\0",
    "\ufeff",
    "\u2028",
    "＝",
    "a",
    "1",
    "|",
    "cmd",
    "\ud800",
    "😀",
  );
  const hostile: (readonly [string, "," | ";" | "\t"])[] = [];
  check(
    property(
      string({ unit: part, maxLength: 12 }),
      constantFrom(",", ";", "\t"),
      (value, separator) => void hostile.push([value, separator as ","]),
    ),
    { numRuns: rounds(2000) },
  );
  check(
    property(tuple(string({ unit: anyCharacter })), ([value]) => void hostile.push([value, ","])),
    { numRuns: 200 },
  );
  for (const [value, separator] of hostile) {
    const file = await text(csv([{ n: 1, value, last: 2 }], ["n", "value", "last"], { separator }));
    const [, row = [], ...others] = parse(file, separator);
    assert.deepEqual([row.length, row[0], row[2], others.length], [3, "1", "2", 0], JSON.stringify(value));
    assert.equal(row[1]?.replaceAll("'", ""), value.replaceAll("'", ""));
    assert.doesNotMatch(row[1] ?? "", /^[\s\p{C}"]*[=+\-@＝＋－＠]|^\p{Cc}/u);
    for (const wrong of [",", ";", "\t", "\r", "\n"].filter((other) => other !== separator)) {
      for (const piece of (row[1] ?? "").split(wrong).slice(1))
        assert.doesNotMatch(piece, /^[ "]*[=+\-@＝＋－＠]/u, JSON.stringify(value));
    }
  }
});

test("the guard takes linear time", async () => {
  for (const unit of ["\n", " ", '"', ";", "; ", '\n"']) {
    const value = unit.repeat(500_000 / unit.length);
    assert.ok((await text(csv([{ value }], ["value"]))).length > value.length);
  }
});

test("rows are read as the client takes them", async () => {
  let read = 0;
  async function* rows(): AsyncGenerator<{ value: string }> {
    for (; read < 1000; read += 1) yield { value: "x".repeat(1000) };
  }
  const chunks = (csv(rows(), ["value"]).body as AsyncIterable<string>)[Symbol.asyncIterator]();
  assert.equal(read, 0);
  const first = await chunks.next();
  assert.ok(String(first.value).length > 16_000 && read < 20, `${read} rows`);
  await chunks.return?.();
  assert.ok(read < 20);
});
