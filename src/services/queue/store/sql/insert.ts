import type { ContextOptions } from "../../../../core/index.ts";
import { type Database, Row, sql, type Statement } from "../../../../database/index.ts";
import { type NewJob, priorities } from "../contract.ts";
import { maxDeadlockRetries, positionsAt } from "./table.ts";

// Keeps the number of parameters of a statement below the limit of every database.
const maxRowsPerStatement = 500;
// MariaDB accepts statements of 16 MiB by default. The limit leaves room for one more row.
const maxInputCharsPerStatement = 1_048_576;
const maxInsertRounds = 5;

interface NewRow {
  readonly job: NewJob;
  readonly values: Statement<unknown>;
}

/** Inserts jobs in their order, in one transaction, and returns their IDs; see `QueueStore.insert`. */
export async function insertJobs(
  database: Database,
  jobs: readonly NewJob[],
  options: ContextOptions,
): Promise<readonly string[]> {
  const [first] = jobs;
  if (first === undefined) return [];
  const positions = positionsAt(first.next_run_at, jobs.length);
  const rows = jobs.map((job, index) => ({ job, values: valuesOf(job, positions[index] ?? 0n) }));
  const isUnique = jobs.some(({ unique_key }) => unique_key !== undefined);
  const batches = isUnique ? [] : toBatches(rows);
  if (batches.length === 1) {
    await database.exec(insertStatement(rows), { ...options, maxRetries: maxDeadlockRetries });
    return jobs.map(({ id }) => id);
  }
  return database.transaction(
    async () => {
      if (isUnique) return insertUnique(database, rows, options);
      for (const batch of batches) await database.exec(insertStatement(batch), options);
      return jobs.map(({ id }) => id);
    },
    { ...options, maxRetries: maxDeadlockRetries },
  );
}

/** Groups rows, in their order, into batches of one statement each. */
function toBatches(rows: readonly NewRow[]): readonly (readonly NewRow[])[] {
  const batches: NewRow[][] = [];
  let inputChars = 0;
  for (const row of rows) {
    const { length } = row.job.input;
    const batch = batches.at(-1);
    inputChars += length;
    if (batch !== undefined && batch.length < maxRowsPerStatement && inputChars <= maxInputCharsPerStatement) {
      batch.push(row);
    } else {
      batches.push([row]);
      inputChars = length;
    }
  }
  return batches;
}

const insertStatement = (rows: readonly NewRow[]): Statement<unknown> => sql`
  insert into queue_jobs (
    id, name, input, status, priority, position, attempts, max_attempts, next_run_at, tag, ctx, log_fields, unique_key,
    active_key, created_at, updated_at
  ) values ${sql.join(rows.map(({ values }) => values))}`;

function valuesOf(job: NewJob, position: bigint): Statement<unknown> {
  const { id, name, input, priority, max_attempts, next_run_at, tag = null, created_at, unique_key = null } = job;
  const [ctx, logFields] = [JSON.stringify(job.ctx), JSON.stringify(job.log_fields)];
  return sql`(
    ${id}, ${name}, ${input}, 'pending', ${priorities.indexOf(priority)}, ${position}, 0, ${max_attempts},
    ${next_run_at}, ${tag}, ${ctx}, ${logFields}, ${unique_key}, ${unique_key}, ${created_at}, ${created_at}
  )`;
}

async function insertUnique(
  database: Database,
  rows: readonly NewRow[],
  options: ContextOptions,
): Promise<readonly string[]> {
  // Inserting in the order of the keys avoids deadlocks between dispatches that share keys. The positions are assigned
  // before, so the jobs still start in the order of the inputs.
  const ids = new Map<NewRow, string>();
  for (const row of rows.toSorted(compareKeys)) ids.set(row, await insertOrFind(database, row, options));
  return rows.map((row) => ids.get(row) ?? row.job.id);
}

function compareKeys({ job: { unique_key: left = "" } }: NewRow, { job: { unique_key: right = "" } }: NewRow): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const ignoreConflict = sql.dialect({
  sqlite: sql`on conflict (active_key) do nothing`,
  postgresql: sql`on conflict (active_key) do nothing`,
  mariadb: sql`on duplicate key update id = id`,
});

/** Inserts a job or finds the one with its key. That one can finish between the two statements: then both run again. */
async function insertOrFind(database: Database, row: NewRow, options: ContextOptions): Promise<string> {
  const { id, unique_key = null } = row.job;
  for (let round = 0; round < maxInsertRounds; round++) {
    await database.exec(sql`${insertStatement([row])} ${ignoreConflict}`, options);
    const activeId = await database.findOpt(
      sql.value(Row.uuid)`select id from queue_jobs where active_key = ${unique_key}`,
      options,
    );
    if (activeId !== undefined) return activeId;
  }
  await database.exec(insertStatement([row]), options);
  return id;
}
