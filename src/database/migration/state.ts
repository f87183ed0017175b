import type { ColumnTypes } from "../contract.ts";
import { connectionOf, type Handle } from "../handle.ts";
import type { RowType } from "../row/column-type.ts";
import * as Row from "../row/row.ts";
import { identifierFragment, rawFragment, sql } from "../statement/sql.ts";
import type { Fragment } from "../statement/statement.ts";
import { stateTableName } from "./settings.ts";

/** Row of the state table: an applied step, or a started one with `applied_at` null. */
export interface AppliedStep {
  readonly namespace: string;
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly started_at: Date;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
}

const appliedStepRow: RowType<AppliedStep> = Row.record({
  namespace: Row.text,
  number: Row.int,
  name: Row.text,
  checksum: Row.text,
  started_at: Row.timestamp,
  applied_at: Row.nullable(Row.timestamp),
  duration_ms: Row.nullable(Row.int),
});

const createTableSql = (table: string, types: ColumnTypes): string => `create table if not exists ${table} (
  namespace ${types.string(100)} not null,
  number ${types.int} not null,
  name ${types.string(255)} not null,
  checksum ${types.string(64)} not null,
  started_at ${types.timestamp} not null,
  applied_at ${types.timestamp},
  duration_ms ${types.int},
  primary key (namespace, number)
)`;

const table = (): Fragment => identifierFragment(stateTableName());

/** Creates the state table if it does not exist. */
export async function createStateTable(handle: Handle): Promise<void> {
  const { connection, pool } = connectionOf(handle);
  if (await hasStateTable(handle)) return;
  await connection.script(createTableSql(stateTableName(), pool.driver.dialect.columnTypes));
}

async function hasStateTable(handle: Handle): Promise<boolean> {
  const { listTables } = connectionOf(handle).pool.driver.dialect;
  const names = await handle.collect(sql.value(Row.text)`${rawFragment(listTables)}`);
  return names.includes(stateTableName());
}

/** Returns all applied and started steps, in the order in which they started. */
export async function readAppliedSteps(handle: Handle): Promise<readonly AppliedStep[]> {
  if (!(await hasStateTable(handle))) return [];
  return handle.collect(
    sql.row(
      appliedStepRow,
    )`select ${sql.columns(appliedStepRow)} from ${table()} order by started_at, namespace, number`,
  );
}

/** Returns the row of a step, or `undefined` if the step was never started. */
export async function findAppliedStep(
  handle: Handle,
  namespace: string,
  number: number,
): Promise<AppliedStep | undefined> {
  return handle.findOpt(
    sql.row(appliedStepRow)`select ${sql.columns(appliedStepRow)} from ${table()}
      where namespace = ${namespace} and number = ${number}`,
  );
}

/** Inserts the row of a step. */
export async function insertAppliedStep(handle: Handle, applied: AppliedStep): Promise<void> {
  const { namespace, number, name, started_at, applied_at, duration_ms } = applied;
  await handle.exec(
    sql`insert into ${table()} (${sql.columns(appliedStepRow)})
      values (${namespace}, ${number}, ${name}, ${applied.checksum}, ${started_at}, ${applied_at}, ${duration_ms})`,
  );
}

/** Marks a started step as applied. */
export async function markStepApplied(handle: Handle, applied: AppliedStep): Promise<void> {
  await handle.exec(
    sql`update ${table()} set applied_at = ${applied.applied_at}, duration_ms = ${applied.duration_ms}
      where namespace = ${applied.namespace} and number = ${applied.number}`,
  );
}

/** Deletes the row of a step. */
export async function deleteAppliedStep(
  handle: Handle,
  { namespace, number }: Pick<AppliedStep, "namespace" | "number">,
): Promise<void> {
  await handle.exec(sql`delete from ${table()} where namespace = ${namespace} and number = ${number}`);
}
