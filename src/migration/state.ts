import { Configuration } from "../config/index.ts";
import { isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import {
  assertEnvironment,
  type ColumnTypes,
  connectionOf,
  findEnvironment,
  type Handle,
  hasStateTable,
  listTables,
  markNamespace,
  Row,
  type RowType,
  sql,
  type SqlPart,
  stateTable,
  stateTableName,
} from "../database/index.ts";
import { type BatchState, type StepId, stepKey } from "./step.ts";
import { upgradeStateTable } from "./state-upgrade.ts";

/**
 * Row of the state table: an applied step, or a started one with `applied_at` null. Namespace and name are its key; the number
 * is the position at the last migration.
 */
export interface AppliedStep extends StepId {
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
const appliedSteps = sql.row(appliedStepRow);
const appliedStepColumns = sql.columns(appliedStepRow);

const createTableSql = (table: string, types: ColumnTypes): string => `create table if not exists ${table} (
  namespace ${types.string(100)} not null,
  number ${types.int} not null,
  name ${types.string(255)} not null,
  checksum ${types.string(64)} not null,
  started_at ${types.timestamp} not null,
  applied_at ${types.timestamp},
  duration_ms ${types.int},
  progress ${types.text},
  primary key (namespace, name)
)`;

/** Creates the state table if it does not exist, and brings one of an older version up to date. */
export async function createStateTable(handle: Handle): Promise<void> {
  const { connection, pool } = connectionOf(handle);
  const { columnTypes } = pool.driver.dialect;
  if (!(await hasStateTable(handle))) return connection.script(createTableSql(stateTableName(), columnTypes));
  const columns = await readColumns(handle);
  if (columns.includes("progress") && !columns.includes("key number")) return;
  await upgradeStateTable(handle, columns, createTableSql);
}

/** Returns the columns of the state table, with `key ` before those of its primary key. */
function readColumns(handle: Handle): Promise<readonly string[]> {
  const name = stateTableName();
  return handle.collect(
    sql.value(Row.text)`${sql.dialect({
      sqlite: sql`select iif(pk, 'key ', '') || name from pragma_table_info(${name})`,
      postgresql: sql`select case when indrelid is null then '' else 'key ' end || attname::text from pg_attribute
        join pg_class on pg_class.oid = attrelid
        left join pg_index on indrelid = attrelid and indisprimary and attnum = any(indkey)
        where relnamespace = current_schema()::regnamespace and relname = ${name} and attnum > 0 and not attisdropped`,
      mariadb: sql`select concat(if(column_key = 'PRI', 'key ', ''), column_name) from information_schema.columns
        where table_schema = database() and table_name = ${name}`,
    })}`,
  );
}

/** Returns true if the database has tables other than the state table. */
export async function hasOtherTables(handle: Handle): Promise<boolean> {
  return (await listTables(handle)).some((name) => name !== stateTableName());
}

/**
 * Marks a database with the environment of this process when it is migrated for the first time. Called with the migration
 * lock, after the state table was created. Development and production may migrate a database of each other, such as a copy
 * of production data. Throws E_DATABASE_ENVIRONMENT in tests if it belongs to another environment, or has tables and no
 * mark; elsewhere if it belongs to tests.
 */
export async function claimEnvironment(handle: Handle): Promise<void> {
  const environment = Configuration.environment();
  const marked = await findEnvironment(handle);
  if (marked === undefined && (environment !== "test" || !(await hasOtherTables(handle)))) {
    try {
      await insertEnvironment(handle, environment);
      return;
    } catch (error) {
      // On SQLite, another process may have inserted the mark.
      if (!isError(error, "E_DATABASE_UNIQUE")) throw error;
    }
  }
  if (environment === "test" || marked === "test") await assertEnvironment(handle);
}

async function insertEnvironment(handle: Handle, environment: string): Promise<void> {
  const now = Time.now();
  await insertAppliedStep(handle, {
    namespace: markNamespace,
    number: 0,
    name: environment,
    checksum: "",
    started_at: now,
    applied_at: now,
    duration_ms: 0,
  });
}

/** Marks the database with an environment, whether it has a mark or not. */
export async function replaceEnvironment(handle: Handle, environment: string): Promise<void> {
  await handle.exec(sql`delete from ${stateTable()} where namespace = ${markNamespace} and number = 0`);
  await insertEnvironment(handle, environment);
}

/** Returns all applied and started steps, in the order in which they started. */
export async function readAppliedSteps(handle: Handle): Promise<readonly AppliedStep[]> {
  if (!(await hasStateTable(handle))) return [];
  return handle.collect(
    appliedSteps`select ${appliedStepColumns} from ${stateTable()} where number > 0 order by started_at, namespace, number`,
  );
}

/** Returns the row of a step, or `undefined` if the step was never started. */
export async function findAppliedStep(handle: Handle, step: StepKey): Promise<AppliedStep | undefined> {
  return handle.findOpt(appliedSteps`select ${appliedStepColumns} from ${stateTable()} where ${isRowOf(step)}`);
}

/** Inserts the row of a step. */
export async function insertAppliedStep(handle: Handle, applied: AppliedStep): Promise<void> {
  const { namespace, number, name, started_at, applied_at, duration_ms } = applied;
  await handle.exec(
    sql`insert into ${stateTable()} (${appliedStepColumns})
      values (${namespace}, ${number}, ${name}, ${applied.checksum}, ${started_at}, ${applied_at}, ${duration_ms})`,
  );
}

/** Progress of a started step, as JSON in the state table. */
export interface StepProgress {
  /** Number of statements that are complete, of a step whose statements run one by one. */
  readonly statements?: number;
  /** True if "migrate resolve" allowed the step to go on with its next statement. */
  readonly canResume?: boolean;
  /** State of a data step. */
  readonly batches?: {
    readonly done: number;
    readonly total?: number | undefined;
    readonly position?: string | number | undefined;
  };
  /** True if the position is an integer that JSON numbers cannot represent. */
  readonly isBigInt?: boolean;
}

type StepKey = Omit<StepId, "number">;

const isRowOf = ({ namespace, name }: StepKey): SqlPart =>
  sql`namespace = ${namespace} and name = ${name} and number > 0`;

const progressRow = Row.record({ namespace: Row.text, name: Row.text, progress: Row.nullable(Row.text) });
const startedSteps = sql.row(progressRow);
const parseProgress = ({ progress }: Row.Infer<typeof progressRow>): StepProgress =>
  JSON.parse(progress ?? "{}") as StepProgress;

/** Returns the progress of all started steps by their keys. */
export async function readProgress(handle: Handle): Promise<ReadonlyMap<string, StepProgress>> {
  if (!(await readColumns(handle)).includes("progress")) return new Map();
  const rows = await handle.collect(
    startedSteps`select namespace, name, progress from ${stateTable()} where applied_at is null`,
  );
  return new Map(rows.map((row) => [stepKey(row), parseProgress(row)]));
}

/** Returns the progress of a step, or `undefined` if the step is not started any more. */
export async function findProgress(handle: Handle, step: StepKey): Promise<StepProgress | undefined> {
  const row = await handle.findOpt(
    startedSteps`select namespace, name, progress from ${stateTable()} where ${isRowOf(step)} and applied_at is null`,
  );
  return row && parseProgress(row);
}

/** Stores the progress of a started step. */
export async function updateProgress(handle: Handle, step: StepKey, progress: StepProgress): Promise<void> {
  await handle.exec(sql`update ${stateTable()} set progress = ${JSON.stringify(progress)} where ${isRowOf(step)}`);
}

/** Returns the position of a started data step, or `undefined` if the step is not started any more. */
export async function findBatchState(handle: Handle, step: StepKey): Promise<BatchState | undefined> {
  const progress = await findProgress(handle, step);
  if (progress === undefined) return undefined;
  const { done = 0, total, position } = progress.batches ?? {};
  return { done, total, position: progress.isBigInt === true ? BigInt(position ?? 0) : position };
}

/** Stores the position of a data step. */
export function updateBatchState(handle: Handle, step: StepKey, { done, total, position }: BatchState): Promise<void> {
  const isBigInt = typeof position === "bigint";
  const batches = { done, total, position: isBigInt ? String(position) : position };
  return updateProgress(handle, step, isBigInt ? { batches, isBigInt } : { batches });
}

/** Marks a started step as applied, with the SQL that it has now. */
export async function markStepApplied(handle: Handle, applied: AppliedStep): Promise<void> {
  const { checksum, applied_at, duration_ms } = applied;
  await handle.exec(
    sql`update ${stateTable()} set checksum = ${checksum}, applied_at = ${applied_at}, duration_ms = ${duration_ms}
      where ${isRowOf(applied)}`,
  );
}

/** Changes the recorded name, number and checksum of a step. */
export async function updateAppliedStep(
  handle: Handle,
  step: StepKey,
  { number, name, checksum }: Pick<AppliedStep, "number" | "name" | "checksum">,
): Promise<void> {
  await handle.exec(
    sql`update ${stateTable()} set number = ${number}, name = ${name}, checksum = ${checksum} where ${isRowOf(step)}`,
  );
}

/** Deletes the row of a step. */
export async function deleteAppliedStep(handle: Handle, step: StepKey): Promise<void> {
  await handle.exec(sql`delete from ${stateTable()} where ${isRowOf(step)}`);
}
