// Random tables, rows and searches on a database, compared with a plain model in memory. A seed determines all of them. The
// changes and the searches of a table share its model, so that they are in one file.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { Random, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { Table } from "limmat/table";
import { byNumber, Choices, type Compare, type Kind, kindNames, kinds, names } from "./random-values.ts";

interface RandomColumn extends Kind {
  readonly name: string;
  readonly isNullable: boolean;
}

type Value = Readonly<Record<string, unknown>>;
type StoredRow = Value & { readonly id: string; readonly version?: number };

/** Table without the types of its columns, which are random. */
interface AnyTable {
  readonly insert: (database: Database, value: Value) => Promise<StoredRow>;
  readonly insertAll: (database: Database, values: readonly Value[]) => Promise<readonly StoredRow[]>;
  readonly upsert: (
    database: Database,
    value: Value,
    options: { readonly on: readonly string[] },
  ) => Promise<StoredRow>;
  readonly update: (database: Database, item: StoredRow, changes: Value) => Promise<StoredRow>;
  readonly delete: (database: Database, item: StoredRow) => Promise<void>;
  readonly find: (database: Database, id: string) => Promise<StoredRow>;
  readonly collect: (database: Database, options?: object) => Promise<readonly StoredRow[]>;
  readonly count: (database: Database) => Promise<number>;
  readonly search: (database: Database, parameters: object) => Promise<readonly [readonly StoredRow[], number]>;
  readonly searchPage: (database: Database, parameters: object, options: object) => Promise<Page>;
}

type Page = readonly [
  items: readonly StoredRow[],
  total: number | undefined,
  cursors: { readonly next: string | undefined; readonly previous: string | undefined },
];

/** Makes a random table, changes its rows at random, and compares every search with that of the model. */
export async function compareRandomTable(database: Database, seed: number): Promise<void> {
  const choices = new Choices(seed);
  const columns: readonly RandomColumn[] = choices.some(names, 3 + choices.below(5)).map((name) => {
    const kind = kinds[choices.pick(kindNames)] as Kind;
    return { ...kind, name, isNullable: choices.chance(40) };
  });
  const sorted = columns.filter(({ compare }) => compare !== undefined);
  const searched = columns.filter(({ isText }) => isText === true);
  const hasVersion = choices.chance(50);
  const name = `random_${seed}_${Random.hex(4)}`;
  const definition = {
    schema: Schema.record({ number: Schema.int() }),
    columns: Object.fromEntries(
      columns.map(({ name: column, type, isNullable }) => [column, isNullable ? Row.nullable(type) : type]),
    ),
    unique: [["number"]],
    version: hasVersion,
    timestamps: choices.chance(30),
    softDelete: choices.chance(30),
    search: {
      filter: searched.map((column) => column.name),
      filterBy: sorted.map((column) => column.name),
      sortBy: ["number", ...sorted.map((column) => column.name)],
    },
  };
  const made = Table.make(name, definition as never);
  const table = made as unknown as AnyTable;
  for (const text of Table.createStatements(made, database.dialect())) {
    await database.exec(sql(Object.assign([text], { raw: [text] })));
  }
  try {
    const model = new Map<string, StoredRow>();
    await changeRows(database, table, columns, choices, model);
    if (!definition.softDelete) await compareSums(database, name, columns, [...model.values()]);
    await compareLists(database, table, { sorted, searched, choices, rows: [...model.values()] });
  } finally {
    await database.exec(sql`drop table ${sql.identifier(name, [name])}`);
  }
}

/** Returns random values of columns, as they are written and as they are read. */
function randomValues(columns: readonly RandomColumn[], choices: Choices): readonly [written: Value, read: Value] {
  const pairs = columns.map(({ name, values, stored, isNullable }) => {
    const value = isNullable && choices.chance(25) ? null : choices.pick(values);
    return [name, value, value === null || stored === undefined ? value : stored(value as never)] as const;
  });
  return [
    Object.fromEntries(pairs.map(([name, written]) => [name, written])),
    Object.fromEntries(pairs.map(([name, , read]) => [name, read])),
  ];
}

/** Bytes are compared as lists: databases return them as a `Buffer` or a `Uint8Array`. */
const plain = (row: Value): Value =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? Array.from(value) : value]),
  );

async function changeRows(
  database: Database,
  table: AnyTable,
  columns: readonly RandomColumn[],
  choices: Choices,
  model: Map<string, StoredRow>,
): Promise<void> {
  let number = 0;
  const keep = (row: StoredRow, expected: Value): void => {
    assert.deepEqual(plain({ ...row, ...expected }), plain(row));
    model.set(row.id, row);
  };
  for (let change = 0; change < 25; change++) {
    const [written, read] = randomValues(columns, choices);
    const item = model.size === 0 ? undefined : choices.pick([...model.values()]);
    const operation = choices.below(8);
    if (operation === 0 && item !== undefined) {
      await table.delete(database, item);
      model.delete(item.id);
    } else if (operation === 1 && item !== undefined) {
      const changed = choices.some(columns, 1 + choices.below(3)).map((column) => column.name);
      const part = (value: Value): Value => Object.fromEntries(changed.map((column) => [column, value[column]]));
      const version = item.version === undefined ? {} : { version: item.version + 1 };
      const unchanged = Object.fromEntries(Object.entries(item).filter(([column]) => column !== "updated_at"));
      keep(await table.update(database, item, part(written)), { ...unchanged, ...part(read), ...version });
    } else if (operation === 2 && item !== undefined) {
      const value = { ...written, number: item["number"] };
      keep(await table.upsert(database, value, { on: ["number"] }), { ...read, id: item.id, number: item["number"] });
    } else if (operation <= 4) {
      const values = Array.from(
        { length: choices.below(6) },
        () => [++number, randomValues(columns, choices)] as const,
      );
      const rows = await table.insertAll(
        database,
        values.map(([count, [value]]) => ({ ...value, number: count })),
      );
      for (const [index, row] of rows.entries()) keep(row, { ...values[index]?.[1][1], number: values[index]?.[0] });
    } else {
      number++;
      keep(await table.insert(database, { ...written, number }), { ...read, number });
    }
  }
  const stored = await table.collect(database);
  assert.equal(await table.count(database), model.size);
  assert.deepEqual(
    new Map(stored.map((row) => [row.id, plain(row)])),
    new Map([...model].map(([id, row]) => [id, plain(row)])),
  );
  for (const [id, row] of model) assert.deepEqual(plain(await table.find(database, id)), plain(row));
}

/** Compares the sum of the squares of each decimal column, which has more digits than a floating-point number. */
async function compareSums(
  database: Database,
  name: string,
  columns: readonly RandomColumn[],
  rows: readonly Value[],
): Promise<void> {
  for (const { name: column } of columns.filter(({ type }) => type === Row.decimal)) {
    const cents = rows.flatMap(({ [column]: text }) =>
      typeof text === "string" ? [BigInt(text.replace(".", ""))] : [],
    );
    const value = sql.identifier(column, [column]);
    const sum = await database.find(
      sql.value(Row.nullable(Row.decimal))`select ${sql.sum(sql.product(value, value))} as summed
        from ${sql.identifier(name, [name])}`,
    );
    const [whole = "", fraction = ""] = sum?.split(".") ?? [];
    const squares = cents.map((count) => count * count * 10n ** 16n);
    assert.equal(
      BigInt(whole + fraction.padEnd(20, "0")),
      squares.reduce((total, square) => total + square, 0n),
    );
  }
}

interface Lists {
  readonly sorted: readonly RandomColumn[];
  readonly searched: readonly RandomColumn[];
  readonly choices: Choices;
  readonly rows: readonly StoredRow[];
}

type Condition = (row: StoredRow) => boolean;

async function compareLists(database: Database, table: AnyTable, lists: Lists): Promise<void> {
  const { choices, rows } = lists;
  const ids = (await table.collect(database, { orderBy: "id" })).map(({ id }) => id);
  for (let round = 0; round < 12; round++) {
    const order = randomOrder(lists);
    const [filters, matches] = randomFilters(lists);
    const expected = rows
      .filter(matches)
      .toSorted((left, right) => compareRows(order, ids, left, right))
      .map(({ id }) => id);
    const sortBy = order.map(({ name, isDescending }) => (isDescending ? `-${name}` : name));
    const limit = 1 + choices.below(7);
    const text = JSON.stringify({ sortBy, ...filters, limit }, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}n` : value,
    );
    const offset = choices.below(expected.length + 2);
    const [page, total] = await table.search(database, { ...filters, sortBy, limit, offset });
    assert.deepEqual(
      [page.map(({ id }) => id), total],
      [expected.slice(offset, offset + limit), expected.length],
      text,
    );
    for (const row of page) {
      assert.deepEqual(plain(row), plain(rows.find(({ id }) => id === row.id) as StoredRow), text);
    }
    const isCounted = choices.chance(50);
    const walked = await walk((cursor) =>
      table.searchPage(database, { ...filters, sortBy, limit, ...cursor }, { total: isCounted }),
    );
    assert.deepEqual(walked, expected.length === 0 ? [[], []] : [expected, expected], text);
  }
}

/** Follows the cursors of a list to its end and back. */
async function walk(
  load: (cursor: object) => Promise<Page>,
): Promise<readonly [forward: string[], backward: string[]]> {
  const [forward, backward]: [string[], string[]] = [[], []];
  let [items, , cursors] = await load({});
  for (;;) {
    forward.push(...items.map(({ id }) => id));
    if (cursors.next === undefined || forward.length > 1000) break;
    [items, , cursors] = await load({ after: cursors.next });
  }
  for (;;) {
    backward.unshift(...items.map(({ id }) => id));
    if (cursors.previous === undefined || backward.length > 1000) return [forward, backward];
    [items, , cursors] = await load({ before: cursors.previous });
  }
}

interface OrderColumn extends Pick<RandomColumn, "name"> {
  readonly compare: Compare | undefined;
  readonly isDescending: boolean;
}

const randomOrder = ({ sorted, choices }: Lists): readonly OrderColumn[] =>
  choices
    .some([...sorted, { name: "number", compare: byNumber }], 1 + choices.below(3))
    .map(({ name, compare }) => ({ name, compare, isDescending: choices.chance(50) }));

function compareRows(order: readonly OrderColumn[], ids: readonly string[], left: StoredRow, right: StoredRow): number {
  for (const { name, compare, isDescending } of order) {
    const [first, second] = [left[name], right[name]];
    // NULL sorts below all values.
    const isOneNull = first === null || second === null;
    const result = isOneNull
      ? Number(first !== null) - Number(second !== null)
      : (compare as Compare)(first as never, second as never);
    if (result !== 0) return isDescending ? -result : result;
  }
  const byId = ids.indexOf(left.id) - ids.indexOf(right.id);
  return order.at(-1)?.isDescending === true ? -byId : byId;
}

/** A filter text ignores the case of A to Z. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function randomFilters(lists: Lists): readonly [parameters: object, matches: Condition] {
  const { sorted, searched, choices } = lists;
  const conditions: Condition[] = [];
  const filterBy: Record<string, unknown> = {};
  for (const column of choices.some(sorted, choices.below(3))) {
    const [value, condition] = randomFilter(column, lists);
    filterBy[column.name] = value;
    conditions.push(condition);
  }
  const matches: Condition = (row) => conditions.every((condition) => condition(row));
  if (searched.length === 0 || choices.chance(60)) return [{ filterBy }, matches];
  const source = String(choices.pick(choices.pick(searched).values));
  const [start, length] = [choices.below(source.length + 1), 1 + choices.below(4)];
  const part = source.slice(start, start + length);
  const filter = part.isWellFormed() ? (choices.chance(50) ? part.toUpperCase() : part) : "a";
  const isFound: Condition = (row) =>
    searched.some(({ name }) => row[name] !== null && fold(`${row[name] as string | number}`).includes(fold(filter)));
  return [{ filterBy, filter }, (row) => matches(row) && (filter === "" || isFound(row))];
}

function randomFilter(column: RandomColumn, { choices }: Lists): readonly [value: unknown, matches: Condition] {
  const { name, values, isNullable } = column;
  const compare = column.compare as Compare;
  const stored = (value: unknown): unknown => (column.stored === undefined ? value : column.stored(value as never));
  const isEqual = (row: StoredRow, value: unknown): boolean =>
    value === null || row[name] === null
      ? value === row[name]
      : isDeepStrictEqual(stored(row[name]), stored(value)) ||
        compare(row[name] as never, stored(value) as never) === 0;
  const pick = (): unknown => (isNullable && choices.chance(25) ? null : choices.pick(values));
  if (choices.chance(40)) {
    const value = pick();
    return [value, (row) => isEqual(row, value)];
  }
  if (choices.chance(50)) {
    const list = Array.from({ length: choices.below(4) }, pick);
    return [list, (row) => list.some((value) => isEqual(row, value))];
  }
  const [from, to] = [choices.pick(values), choices.pick(values)];
  const isWithin: Condition = (row) =>
    row[name] !== null &&
    compare(row[name] as never, stored(from) as never) >= 0 &&
    compare(row[name] as never, stored(to) as never) <= 0;
  return [{ from, to }, isWithin];
}
