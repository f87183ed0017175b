import type { RowType } from "../column-type.ts";
import type { ColumnTypes } from "../contract.ts";
import { connectionOf, type Handle } from "../handle.ts";
import * as Row from "../row.ts";
import { nameFragment, sql, textFragment } from "../sql.ts";
import { stateTable } from "./settings.ts";

/** A step that was applied, or only begun: then `applied_at` is `null`. */
export interface Applied {
  readonly namespace: string;
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly started_at: Date;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
}

const appliedRow: RowType<Applied> = Row.record({
  namespace: Row.text,
  number: Row.int,
  name: Row.text,
  checksum: Row.text,
  started_at: Row.timestamp,
  applied_at: Row.nullable(Row.timestamp),
  duration_ms: Row.nullable(Row.int),
});

const definition = (table: string, types: ColumnTypes): string => `create table if not exists ${table} (
  namespace ${types.string(100)} not null,
  number ${types.int} not null,
  name ${types.string(255)} not null,
  checksum ${types.string(64)} not null,
  started_at ${types.timestamp} not null,
  applied_at ${types.timestamp},
  duration_ms ${types.int},
  primary key (namespace, number)
)`;

const table = (): ReturnType<typeof nameFragment> => nameFragment(stateTable());

/** Creates the table that remembers steps, if there is none. */
export async function createTable(handle: Handle): Promise<void> {
  const { connection, pool } = connectionOf(handle);
  if (!(await hasTable(handle))) await connection.script(definition(stateTable(), pool.driver.dialect.types));
}

async function hasTable(handle: Handle): Promise<boolean> {
  const { tables } = connectionOf(handle).pool.driver.dialect;
  const names = await handle.collect(sql.value(Row.text)`${textFragment(tables)}`);
  return names.includes(stateTable());
}

/** What was applied, in the order in which it was. */
export async function readApplied(handle: Handle): Promise<readonly Applied[]> {
  if (!(await hasTable(handle))) return [];
  return handle.collect(
    sql.row(appliedRow)`select ${sql.columns(appliedRow)} from ${table()} order by started_at, namespace, number`,
  );
}

/** Whether a step was applied or begun. */
export async function find(handle: Handle, namespace: string, number: number): Promise<Applied | undefined> {
  return handle.findOpt(
    sql.row(
      appliedRow,
    )`select ${sql.columns(appliedRow)} from ${table()} where namespace = ${namespace} and number = ${number}`,
  );
}

/** Remembers a step. */
export async function insert(handle: Handle, applied: Applied): Promise<void> {
  const { namespace, number, name, checksum, started_at, applied_at, duration_ms } = applied;
  await handle.exec(
    sql`insert into ${table()} (${sql.columns(appliedRow)})
      values (${namespace}, ${number}, ${name}, ${checksum}, ${started_at}, ${applied_at}, ${duration_ms})`,
  );
}

/** Notes that a step that was begun is complete. */
export async function complete(handle: Handle, applied: Applied): Promise<void> {
  await handle.exec(
    sql`update ${table()} set applied_at = ${applied.applied_at}, duration_ms = ${applied.duration_ms}
      where namespace = ${applied.namespace} and number = ${applied.number}`,
  );
}

/** Forgets a step. */
export async function remove(
  handle: Handle,
  { namespace, number }: Pick<Applied, "namespace" | "number">,
): Promise<void> {
  await handle.exec(sql`delete from ${table()} where namespace = ${namespace} and number = ${number}`);
}
