// Random changes of described tables with rows: `migrate diff` and `migrate` keep all values, or refuse and change nothing.
import assert from "node:assert/strict";
import { isError } from "../../src/core/index.ts";
import { Schema } from "../../src/schema/index.ts";
import type { Database } from "../../src/database/database.ts";
import { connectionOf } from "../../src/database/handle.ts";
import * as Migration from "../../src/database/migration/migration.ts";
import { resolveStep } from "../../src/database/migration/runner.ts";
import * as Row from "../../src/database/row/row.ts";
import { rawFragment, sql } from "../../src/database/statement/sql.ts";
import { Table } from "../../src/database/table/index.ts";
import type { RelatedTable } from "../../src/database/table/relation.ts";

/** Described field, as plain data. */
interface Field {
  readonly type: "string" | "text" | "int" | "float" | "decimal" | "bool" | "date" | "choice";
  readonly max: number;
  readonly scale: number;
  readonly words: readonly string[];
  readonly isOptional: boolean;
  readonly hasDefault: boolean;
}

/** Described table, as plain data. */
interface Shape {
  readonly fields: Readonly<Record<string, Field>>;
  readonly unique: readonly string[];
  readonly indexes: readonly string[];
  readonly action: "cascade" | "set null" | "restrict" | undefined;
}

/** Change of a table, with its rows before. */
export interface SchemaChange {
  readonly from: Shape;
  readonly to: Shape;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

type Random = () => number;

/** Returns random numbers between 0 and 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const fieldTypes = ["string", "text", "int", "float", "decimal", "bool", "date", "choice"] as const;
const words = ["red", "blue", "12", "1", "it's"];

const randomField = (random: Random): Field => ({
  type: pick(random, fieldTypes),
  max: pick(random, [4, 20, 60]),
  scale: pick(random, [0, 2, 4]),
  words: words
    .filter(() => random() < 0.6)
    .concat("red")
    .filter((word, index, all) => all.indexOf(word) === index),
  isOptional: random() < 0.4,
  hasDefault: random() < 0.3,
});

/** Returns a change for a seed. Most fields stay or change a little. */
export function randomChange(seed: number): SchemaChange {
  const random = randomOf(seed);
  const names = ["a", "b", "c", "d"];
  const fields = Object.fromEntries(names.map((name) => [name, randomField(random)]));
  const changed = Object.entries(fields).flatMap(([name, field]): (readonly [string, Field])[] => {
    const other = randomField(random);
    const change = random();
    if (change < 0.25) return [[name, field]];
    if (change < 0.4) return [[name, other]];
    if (change < 0.5) return [[name, { ...field, isOptional: !field.isOptional }]];
    if (change < 0.6) return [[name, { ...field, hasDefault: !field.hasDefault }]];
    if (change < 0.75) return [[name, { ...field, max: other.max, scale: other.scale }]];
    if (change < 0.95) return [[name, { ...field, words: other.words, type: pick(random, [field.type, other.type]) }]];
    return [];
  });
  if (random() < 0.2) changed.push(["e", { ...randomField(random), isOptional: true }]);
  const shape = (own: Shape["fields"]): Shape => ({
    fields: own,
    unique: Object.keys(own).filter(() => random() < 0.1),
    indexes: Object.keys(own).filter(() => random() < 0.15),
    action: pick(random, ["cascade", "set null", "restrict", undefined]),
  });
  const from = shape(fields);
  const to = shape(Object.fromEntries(changed));
  const rows = Array.from({ length: Math.floor(random() * 5) }, () =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, randomValue(random, field)])),
  );
  return { from, to, rows };
}

function randomValue(random: Random, field: Field): unknown {
  if (field.isOptional && random() < 0.3) return undefined;
  const fraction = "12345".slice(0, field.scale);
  switch (field.type) {
    case "string":
    case "text":
      return pick(random, ["red", "12", "007", "1.5", "", "it's", " x ", "ü😀", "x".repeat(field.max), "2026-01-02"])
        .slice(0, field.max)
        .toWellFormed();
    case "int":
      return pick(random, [0, 1, -5, 12, 2 ** 40, Number.MAX_SAFE_INTEGER]);
    case "float":
      return pick(random, [0, 1, 1.5, 0.1, -20000, 1e21]);
    case "decimal":
      return pick(random, ["0", "12", `-3${fraction === "" ? "" : `.${fraction}`}`, "99999999"]);
    case "bool":
      return random() < 0.5;
    case "date":
      return pick(random, ["2026-01-02", "1999-12-31"]);
    default:
      return pick(random, field.words);
  }
}

function memberOf(field: Field): Schema.Member {
  const { isOptional, hasDefault, max, scale } = field;
  const set = <T>(value: T): { readonly default?: T } => (hasDefault && !isOptional ? { default: value } : {});
  const member = {
    string: () => Schema.string({ max, ...set("red") }),
    text: () => Schema.text(),
    int: () => Schema.int(set(7)),
    float: () => Schema.float(set(1.5)),
    decimal: () => Schema.decimal({ precision: 12, scale, ...set("5") }),
    bool: () => Schema.bool(set(true)),
    date: () => Schema.date(),
    choice: () => Schema.oneOf(field.words, set("red")),
  }[field.type]();
  return isOptional ? Schema.optional(member as never) : member;
}

const parents = Table.make("sc_parents", { schema: Schema.record({ name: Schema.string({ max: 9 }) }) });

function tablesOf({ fields, unique, indexes, action }: Shape): readonly RelatedTable[] {
  // Text without a maximum length cannot be indexed on all databases.
  const canIndex = (name: string): boolean => !["text", "float"].includes(fields[name]?.type ?? "text");
  const things = Table.make("sc_things", {
    schema: Schema.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, memberOf(field)]))),
    columns: { parent_id: Row.nullable(Row.uuid) },
    unique: unique.filter(canIndex).map((name) => [name]),
    indexes: indexes.filter((name) => canIndex(name) && !unique.includes(name)),
    relations:
      action === undefined ? {} : { parent: () => Table.belongsTo(parents, { column: "parent_id", onDelete: action }) },
  });
  const kids: RelatedTable = Table.make("sc_kids", {
    schema: Schema.record({ name: Schema.string({ max: 9 }) }),
    columns: { thing_id: Row.uuid },
    relations: { thing: () => Table.belongsTo(things, { column: "thing_id", onDelete: "cascade" }) },
  });
  return [parents, things, kids];
}

let namespaces = 0;

/** Returns the migration that a person would write from `migrate diff`, or `undefined` without a difference. */
async function diffMigration(database: Database, shape: Shape): Promise<Migration.Migration | undefined> {
  const drift = await Migration.service({ database, tables: () => tablesOf(shape) }).drift();
  const statements = drift.flatMap((difference) => difference.statements).filter((text) => !text.startsWith("--"));
  if (statements.length === 0) return undefined;
  return Migration.make(`sc${++namespaces}`, [Migration.step("change", statements)]);
}

const run = (database: Database, migration: Migration.Migration): Promise<readonly string[]> =>
  Migration.service({ database, migrations: [migration] }).runAll();

async function prepare(database: Database, { from, rows }: SchemaChange): Promise<void> {
  for (const name of ["sc_kids", "sc_things", "sc_parents"]) {
    await database.exec(sql`drop table if exists ${sql.identifier(name, [name])}`);
  }
  const tables = await database.collect(sql.value(Row.text)`${rawFragment(database.dialect().listTables)}`);
  if (tables.includes("migration_state")) await database.exec(sql`delete from migration_state where number > 0`);
  const created = await diffMigration(database, from);
  assert.ok(created !== undefined);
  await run(database, created);
  const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  await database.exec(sql`insert into sc_parents (id, name) values (${id(1)}, 'p')`);
  const [, things] = tablesOf(from);
  for (const [index, row] of rows.entries()) {
    try {
      const inserted: unknown = await (things as ReturnType<typeof Table.make>).insert(database, {
        ...row,
        parent_id: index % 2 === 0 ? id(1) : null,
      });
      const { id: thingId } = inserted as { readonly id: string };
      await database.exec(sql`insert into sc_kids (id, name, thing_id) values (${id(100 + index)}, 'k', ${thingId})`);
    } catch (error) {
      if (!isError(error, "E_DATABASE_UNIQUE")) throw error;
    }
  }
}

type Snapshot = readonly Readonly<Record<string, string | null>>[];

/** Reads all rows as texts. */
async function readRows(database: Database, columns: readonly string[]): Promise<Snapshot> {
  const texts = columns.map((name) => {
    const column = sql.identifier(name, [name]);
    return sql.dialect({
      sqlite: sql`cast(${column} as text) as ${column}`,
      postgresql: sql`${column}::text as ${column}`,
      mariadb: sql`cast(${column} as char) as ${column}`,
    });
  });
  const rows = await database.collect(sql`select ${sql.join(texts, sql`, `)} from sc_things order by id`);
  const kids = await database.collect(sql`select name, thing_id from sc_kids order by id`);
  return [...rows, ...kids] as Snapshot;
}

/** Returns a number without exponent and superfluous zeros, a truth value as a number, and other texts as they are. */
function canonical(text: string | null): string | null {
  const truth = text?.replace(/^false$/, "0").replace(/^true$/, "1") ?? null;
  const match = truth === null ? null : /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(truth);
  if (match === null) return truth;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const power = Number(exponent) - fraction.length;
  const digits = whole + fraction;
  const moved =
    power >= 0
      ? `${digits}${"0".repeat(power)}.`
      : `${digits.padStart(1 - power, "0").slice(0, power)}.${digits.padStart(1 - power, "0").slice(power)}`;
  const plain = moved.replace(/^0+(?=\d)/, "").replace(/\.?0*$/, "");
  return (plain === "0" || plain === "" ? "" : sign) + (plain === "" ? "0" : plain);
}

const isText = (field: Field | undefined): boolean =>
  field !== undefined && ["string", "text", "choice"].includes(field.type);

function assertSameRows(before: Snapshot, after: Snapshot, { from, to }: SchemaChange, label: string): void {
  const compare = (snapshot: Snapshot): unknown =>
    snapshot.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([name]) => name in to.fields || !(name in from.fields))
          .map(([name, value]) => [
            name,
            isText(from.fields[name]) && isText(to.fields[name]) ? value : canonical(value),
          ]),
      ),
    );
  assert.deepEqual(compare(after), compare(before), label);
}

/** Kills the connection of a new service at a statement: the server and the file keep what was committed. */
async function runKilled(open: () => Database, migration: Migration.Migration, at: number): Promise<boolean> {
  const database = open();
  await database.start({ services: [database] });
  let count = 0;
  let isKilled = false;
  try {
    await database.query((handle) => {
      const { connection } = connectionOf(handle);
      for (const name of ["script", "run", "commit"] as const) {
        const call = connection[name].bind(connection) as (...args: readonly unknown[]) => unknown;
        const killing = (...args: readonly unknown[]): unknown => {
          if (isKilled || ++count < at) return call(...args);
          isKilled = true;
          void connection.close();
          throw new Error("killed");
        };
        Object.defineProperty(connection, name, { value: killing });
      }
    });
    await run(database, migration);
  } catch (error) {
    if (!isKilled) throw error;
  } finally {
    await database.stop();
  }
  return isKilled;
}

/** Goes on after a kill, as the message of a half-done step says. */
async function goOn(database: Database, migration: Migration.Migration, to: Shape): Promise<unknown> {
  const attempt = (): Promise<unknown> =>
    run(database, migration).then(
      () => undefined,
      (error: unknown) => error,
    );
  const error = await attempt();
  if (!isError(error, "E_MIGRATION_HALF_DONE")) return error;
  const step = { namespace: migration.namespace, step: "change" };
  await resolveStep(database, [migration], step, "resume");
  const second = await attempt();
  if (second === undefined || isError(second, "E_MIGRATION_VALUES")) return second;
  // The interrupted statement was complete: what is missing is in the next difference.
  await resolveStep(database, [migration], step, "applied");
  const rest = await diffMigration(database, to);
  return rest === undefined
    ? undefined
    : run(database, rest).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
}

/** Result of a change: the rows were kept, or the change was refused. */
export type Outcome = "same" | "kept" | "refused" | "failed";

/**
 * Verifies a change. With `killAt`, a first run is killed at the statement of this number. Returns `undefined` if the run has
 * fewer statements.
 */
export async function verifyChange(
  open: () => Database,
  change: SchemaChange,
  label: string,
  killAt?: number,
): Promise<Outcome | undefined> {
  // Its own connections: prepared statements know the types of the former tables.
  const database = open();
  await database.start({ services: [database] });
  try {
    return await verify(open, database, change, label, killAt);
  } finally {
    await database.stop();
  }
}

async function verify(
  open: () => Database,
  database: Database,
  change: SchemaChange,
  label: string,
  killAt: number | undefined,
): Promise<Outcome | undefined> {
  await prepare(database, change);
  const columns = ["id", "parent_id", ...Object.keys(change.from.fields)];
  const before = await readRows(database, columns);
  const migration = await diffMigration(database, change.to);
  if (migration === undefined) return killAt === undefined ? "same" : undefined;
  if (killAt !== undefined) {
    try {
      if (!(await runKilled(open, migration, killAt))) return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }
  const error = await goOn(database, migration, change.to);
  const after = await readRows(database, columns);
  if (error === undefined) {
    assertSameRows(before, after, change, label);
    const rest = await diffMigration(database, change.to);
    assert.deepEqual(rest?.steps[0]?.up, undefined, `${label}: the difference stays`);
    return "kept";
  }
  if (!isRefusal(error)) throw new Error(label, { cause: error });
  assert.match((error as Error).message, /sc\d+ 1 "change"/);
  assertSameRows(before, after, change, `${label}: refused`);
  return isError(error, "E_MIGRATION_VALUES") ? "refused" : "failed";
}

/**
 * Verifies that a change which keeps all rows does so after a kill as well, at each statement, or at one of `every`.
 */
export async function verifyKilledChange(open: () => Database, name: string, every: number): Promise<void> {
  // Four rows, and changes of types, indexes and references that keep them.
  const seed = 12;
  assert.equal(await verifyChange(open, randomChange(seed), `${name}, seed ${seed}`), "kept");
  let killAt = 1;
  for (; ; killAt += every) {
    const label = `${name}, seed ${seed}, killed at ${killAt}`;
    const outcome = await verifyChange(open, randomChange(seed), label, killAt);
    if (outcome === undefined) break;
    assert.equal(outcome, "kept", label);
  }
  assert.ok(killAt > 10, `only ${killAt} statements`);
}

const isRefusal = (error: unknown): boolean =>
  isError(error, "E_MIGRATION_VALUES") || isError(error, "E_MIGRATION_FAILED");
