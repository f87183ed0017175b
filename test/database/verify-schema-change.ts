// `migrate diff` and `migrate` keep all values of a changed table, or refuse and change nothing, also after a kill.
import assert from "node:assert/strict";
import { isError } from "../../src/core/index.ts";
import type { Database } from "../../src/database/database.ts";
import * as Migration from "../../src/migration/migration.ts";
import * as Row from "../../src/database/row/row.ts";
import { rawFragment, sql } from "../../src/database/statement/sql.ts";
import type { Table } from "../../src/entry-points/table.ts";
import { type MigrationReply, type MigrationRequest, runRequest, type Stop } from "../fixtures/migration-requests.ts";
import type { Migrator } from "./migrator.ts";
import { type Field, type SchemaChange, type Shape, tablesOf } from "./schema-changes.ts";

let namespaces = 0;

/** Returns the migration that a person would write from `migrate diff`, or `undefined` without a difference. */
async function diffMigration(database: Database, shape: Shape): Promise<MigrationRequest | undefined> {
  const drift = await Migration.service({ database, tables: () => tablesOf(shape) }).drift();
  const statements = drift.flatMap((difference) => difference.statements).filter((text) => !text.startsWith("--"));
  if (statements.length === 0) return undefined;
  return { namespace: `sc${++namespaces}`, statements };
}

async function prepare(database: Database, { from, rows }: SchemaChange): Promise<void> {
  for (const name of ["sc_kids", "sc_things", "sc_parents"]) {
    await database.exec(sql`drop table if exists ${sql.identifier(name, [name])}`);
  }
  const tables = await database.collect(sql.value(Row.text)`${rawFragment(database.dialect().listTables)}`);
  if (tables.includes("migration_state")) await database.exec(sql`delete from migration_state where number > 0`);
  const created = await diffMigration(database, from);
  assert.ok(created !== undefined);
  const step = Migration.step("create", created.statements);
  await Migration.service({ database, migrations: [Migration.make(created.namespace, [step])] }).runAll();
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

/** Database on which changes are verified. */
export interface ChangedDatabase {
  readonly name: string;
  readonly open: () => Database;
  /** Opens the database as a killed process has left it, without the changes that opening it makes to its files. */
  readonly openKilled?: () => Database;
}

/** Result of a change. */
export interface ChangeResult {
  /** The rows were kept, or the change was refused. */
  readonly outcome: "same" | "kept" | "refused" | "failed";
  /** Number of statements of the first run that was not killed. */
  readonly statements: number;
  /** Duration of this run in milliseconds, with the time that it waits for the lock of a killed one. */
  readonly durationMs: number;
}

/** Kill of the first run of a change. */
export interface Kill extends Stop {
  readonly migrator: Migrator;
}

async function withDatabase<T>(open: () => Database, callback: (database: Database) => Promise<T>): Promise<T> {
  // Its own connections: prepared statements know the types of the former tables.
  const database = open();
  await database.start({ services: [database] });
  try {
    return await callback(database);
  } finally {
    await database.stop();
  }
}

/** Verifies a change. With `kill`, the first run is killed, and another process goes on. */
export async function verifyChange(
  target: ChangedDatabase,
  change: SchemaChange,
  label: string,
  kill?: Kill,
): Promise<ChangeResult> {
  const { open } = target;
  const columns = ["id", "parent_id", ...Object.keys(change.from.fields)];
  const [before, migration] = await withDatabase(open, async (database) => {
    await prepare(database, change);
    return [await readRows(database, columns), await diffMigration(database, change.to)] as const;
  });
  if (migration === undefined) return { outcome: "same", statements: 0, durationMs: 0 };
  if (kill !== undefined) {
    await kill.migrator.kill({ ...migration, stop: kill });
    await verifyKilled(target, change, async (database) =>
      assertSameRows(before, await readRows(database, columns), change, `${label}: before the next run`),
    );
  }
  const startMs = performance.now();
  const run = (request: MigrationRequest): Promise<MigrationReply> =>
    kill?.migrator.run(request) ?? runRequest(open, request);
  const first = await run(migration);
  const durationMs = performance.now() - startMs;
  const last = await goOn(target, migration, change.to, { first, run });
  return withDatabase(open, async (database) => {
    assertSameRows(before, await readRows(database, columns), change, label);
    const result = { statements: first.statements, durationMs };
    if (last.code === undefined) {
      assert.deepEqual((await diffMigration(database, change.to))?.statements, undefined, `${label}: differs`);
      return { outcome: "kept", ...result };
    }
    assert.match(last.code, /^E_MIGRATION_(?:VALUES|FAILED)$/, `${label}: ${last.message}`);
    assert.match(last.message ?? "", /sc\d+ 1 "change"/);
    return { outcome: last.code === "E_MIGRATION_VALUES" ? "refused" : "failed", ...result };
  });
}

/** Verifies that a killed run has changed nothing of an intact file, or all: databases without files are not opened. */
async function verifyKilled(
  { openKilled }: ChangedDatabase,
  { from, to }: SchemaChange,
  assertRows: (database: Database) => Promise<void>,
): Promise<void> {
  if (openKilled === undefined) return;
  await withDatabase(openKilled, async (database) => {
    assert.deepEqual(await database.collect(sql.value(Row.text)`pragma integrity_check`), ["ok"]);
    assert.deepEqual(await database.collect(sql`pragma foreign_key_check`), []);
    await assertRows(database);
    const rest = (await diffMigration(database, from)) && (await diffMigration(database, to));
    assert.deepEqual(rest?.statements, undefined);
  });
}

/** Runs of a migration in one process. */
interface MigrationRuns {
  readonly first: MigrationReply;
  readonly run: (request: MigrationRequest) => Promise<MigrationReply>;
}

/** Goes on after the first run, as the message of a half-done step says. Returns the last reply. */
async function goOn(
  { open }: ChangedDatabase,
  migration: MigrationRequest,
  to: Shape,
  { first, run }: MigrationRuns,
): Promise<MigrationReply> {
  if (first.code !== "E_MIGRATION_HALF_DONE") return first;
  const second = await run({ ...migration, resolution: "resume" });
  if (second.code === undefined || second.code === "E_MIGRATION_VALUES") return second;
  // The interrupted statement was complete: what is missing is in the next difference.
  const third = await run({ ...migration, resolution: "applied" });
  const rest = await withDatabase(open, (database) => diffMigration(database, to));
  return rest === undefined ? third : run(rest);
}
