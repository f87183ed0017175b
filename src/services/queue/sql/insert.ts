import type { ContextOptions } from "../../../core/index.ts";
import { type Database, Row, sql, type Statement } from "../../../database/index.ts";
import { type NewInstance, priorities } from "../store.ts";
import { positions } from "./position.ts";
import { mostRetries } from "./settle.ts";

// Keeps the number of values of a statement below what every database can bind.
const rowsPerStatement = 500;
// MariaDB takes statements of 16 MiB unless told otherwise: one row more must never be too many.
const inputPerStatement = 1_048_576;
const mostRounds = 5;

/** Adds instances in their order, in one transaction, and gives their ids, as `Store.insert` says. */
export async function insert(
  database: Database,
  instances: readonly NewInstance[],
  options: ContextOptions,
): Promise<readonly string[]> {
  const [first] = instances;
  if (first === undefined) return [];
  const places = positions(first.next_run_at, instances.length);
  const rows = instances.map((instance, index) => ({ instance, row: rowOf(instance, places[index] ?? 0n) }));
  const isUnique = instances.some(({ unique_key }) => unique_key !== undefined);
  const parts = isUnique ? [] : partsOf(rows);
  if (parts.length === 1) {
    await database.exec(statementOf(rows), options);
    return instances.map(({ id }) => id);
  }
  return database.transaction(
    async () => {
      if (isUnique) return insertUnique(database, rows, options);
      for (const part of parts) await database.exec(statementOf(part), options);
      return instances.map(({ id }) => id);
    },
    { ...options, retry: mostRetries },
  );
}

interface NewRow {
  readonly instance: NewInstance;
  readonly row: Statement<unknown>;
}

/** Rows that one statement can add each, in their order. */
function partsOf(rows: readonly NewRow[]): readonly (readonly NewRow[])[] {
  const parts: NewRow[][] = [];
  let size = Infinity;
  for (const row of rows) {
    const { length } = row.instance.input;
    const last = parts.at(-1);
    if (last === undefined || last.length === rowsPerStatement || size + length > inputPerStatement) {
      parts.push([row]);
      size = length;
    } else {
      last.push(row);
      size += length;
    }
  }
  return parts;
}

const statementOf = (rows: readonly NewRow[]): Statement<unknown> => sql`
  insert into queue_jobs (
    id, name, input, status, priority, position, tries, max_tries, next_run_at, tag, ctx, log_fields, unique_key,
    active_key, created_at, updated_at
  ) values ${sql.join(rows.map(({ row }) => row))}`;

function rowOf(instance: NewInstance, position: bigint): Statement<unknown> {
  const { id, name, input, priority, max_tries, next_run_at, tag = null, created_at, unique_key = null } = instance;
  const [ctx, fields] = [JSON.stringify(instance.ctx), JSON.stringify(instance.log_fields)];
  return sql`(
    ${id}, ${name}, ${input}, 'pending', ${priorities.indexOf(priority)}, ${position}, 0, ${max_tries}, ${next_run_at},
    ${tag}, ${ctx}, ${fields}, ${unique_key}, ${unique_key}, ${created_at}, ${created_at}
  )`;
}

async function insertUnique(
  database: Database,
  rows: readonly NewRow[],
  options: ContextOptions,
): Promise<readonly string[]> {
  // In one order everywhere, so that two that share keys do not wait for each other. Places in the line are given already.
  const ids = new Map<NewRow, string>();
  for (const row of rows.toSorted(byKey)) ids.set(row, await insertOrFind(database, row, options));
  return rows.map((row) => ids.get(row) ?? row.instance.id);
}

function byKey(
  { instance: { unique_key: left = "" } }: NewRow,
  { instance: { unique_key: right = "" } }: NewRow,
): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const unlessTaken = sql.dialect({
  sqlite: sql`on conflict (active_key) do nothing`,
  postgresql: sql`on conflict (active_key) do nothing`,
  mariadb: sql`on duplicate key update id = id`,
});

/** Adds an instance, or finds the one that has its key, which may end between the two: then it is tried again. */
async function insertOrFind(database: Database, row: NewRow, options: ContextOptions): Promise<string> {
  const { id, unique_key = null } = row.instance;
  for (let round = 0; round < mostRounds; round++) {
    await database.exec(sql`${statementOf([row])} ${unlessTaken}`, options);
    const found = await database.findOpt(
      sql.value(Row.uuid)`select id from queue_jobs where active_key = ${unique_key}`,
      options,
    );
    if (found !== undefined) return found;
  }
  await database.exec(statementOf([row]), options);
  return id;
}
