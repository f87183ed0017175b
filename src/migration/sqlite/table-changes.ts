import { connectionOf, type Handle, Row, sql } from "../../database/index.ts";
import { errors } from "../errors.ts";
import { parseStatements, type SqlStatement } from "../sql-tokens.ts";
import { tableChangeOf } from "../lint/table-change.ts";
import { runGuard } from "../values/guard.ts";
import { alterationOf, rebuildTable, type TableAlteration } from "./rebuild.ts";

/**
 * Runs a callback with the function that runs a script of SQLite. A script that drops tables, or changes them in a way that
 * SQLite does not support, runs without foreign keys: to drop a table would delete or change the rows that refer to it.
 * Before the commit, no row may refer to a missing one that did not before. Throws E_MIGRATION_FOREIGN_KEY;
 * E_MIGRATION_IN_TRANSACTION if a transaction is open, in which foreign keys stay on.
 */
export async function withTableChanges<T>(
  handle: Handle,
  label: string,
  script: string,
  callback: (inner: Handle, run: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const statements = parseStatements(script, "sqlite");
  const changed = new Set(statements.flatMap(droppedTable));
  const { connection } = connectionOf(handle);
  const runAll = (inner: Handle): Promise<T> => callback(inner, () => runStatements(inner, label, statements));
  if (changed.size === 0) return handle.transaction(runAll);
  if (connection.state === "transaction") {
    const referenced = await handle.collect(referencedTables);
    if (referenced.some((name) => changed.has(name))) throw errors.E_MIGRATION_IN_TRANSACTION(label);
    return handle.transaction(runAll);
  }
  const areForeignKeysOn = await hasForeignKeys(handle);
  await connection.script("pragma foreign_keys = off");
  try {
    return await handle.transaction(async (inner) => {
      const before = await countViolations(inner);
      const result = await runAll(inner);
      for (const [reference, count] of await countViolations(inner)) {
        const more = count - (before.get(reference) ?? 0);
        if (more > 0) throw errors.E_MIGRATION_FOREIGN_KEY(label, reference, more);
      }
      return result;
    });
  } finally {
    if (connection.state !== "closed") {
      await connection.script(
        `pragma legacy_alter_table = off; pragma foreign_keys = ${areForeignKeysOn ? "on" : "off"}`,
      );
    }
  }
}

const hasForeignKeys = async (handle: Handle): Promise<boolean> =>
  (await handle.find(sql.value(Row.int)`pragma foreign_keys`)) === 1;

/**
 * Runs a statement of a step outside a transaction. A change that SQLite does not support is a transaction of its own, and so
 * is a dropped table, unless the step has switched foreign keys off.
 */
export async function runTableChange(handle: Handle, label: string, statement: string): Promise<void> {
  const [parsed] = parseStatements(statement, "sqlite");
  const isRebuild = parsed !== undefined && alterationOf(parsed) !== undefined;
  if (isRebuild || (await hasForeignKeys(handle))) {
    return withTableChanges(handle, label, statement, (_, run) => run());
  }
  await connectionOf(handle).connection.script(statement);
}

/** Returns the table that a statement drops or that must be created again for it. */
function droppedTable(statement: SqlStatement): readonly string[] {
  const change = tableChangeOf(statement.tokens);
  if (change?.kind === "drop table") return [change.table.toLowerCase()];
  const alteration = alterationOf(statement);
  return alteration === undefined ? [] : [alteration.table.toLowerCase()];
}

const referencedTables = sql.value(Row.text)`select distinct lower("table") from
  (select name from sqlite_schema where type = 'table') tables, pragma_foreign_key_list(tables.name)`;

/** Runs statements and guards in order. Changes of one table that follow each other need one copy of its rows. */
async function runStatements(handle: Handle, label: string, statements: readonly SqlStatement[]): Promise<void> {
  let pending: TableAlteration | undefined;
  const rebuild = async (): Promise<void> => {
    if (pending !== undefined) await rebuildTable(handle, label, pending);
    pending = undefined;
  };
  for (const statement of statements) {
    // A guard reads the rows, which a pending change does not alter.
    if (await runGuard(handle, label, statement.text)) continue;
    const alteration = alterationOf(statement);
    if (alteration?.table !== pending?.table) await rebuild();
    if (alteration === undefined) await connectionOf(handle).connection.script(statement.text);
    else pending = { table: alteration.table, changes: [...(pending?.changes ?? []), ...alteration.changes] };
  }
  await rebuild();
}

const violationRow = Row.record({ reference: Row.text, count: Row.int });

/** Counts the rows that refer to missing ones, by the tables of the reference. */
async function countViolations(handle: Handle): Promise<ReadonlyMap<string, number>> {
  const rows = await handle.collect(
    sql.row(violationRow)`select '"' || "table" || '" to "' || parent || '"' as reference, count(*) as count
      from pragma_foreign_key_check group by 1`,
  );
  return new Map(rows.map(({ reference, count }) => [reference, count]));
}
