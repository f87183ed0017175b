import { connectionOf, type Handle, Row, sql } from "../database/index.ts";
import { parseStatements } from "./sql-tokens.ts";

/** Returns the name of the index that a statement of PostgreSQL builds concurrently, or `undefined` for another statement. */
export function concurrentIndexName(statement: string): string | undefined {
  const [{ tokens } = { tokens: [] }] = parseStatements(statement, "postgresql");
  const words = tokens.map(({ kind, text }) => (kind === "word" ? text : ""));
  if (words[0] !== "create" || !words.slice(1, 3).includes("index")) return undefined;
  const concurrently = words.indexOf("concurrently");
  if (concurrently === -1 || concurrently > 3) return undefined;
  const hasCondition = words.slice(concurrently + 1, concurrently + 4).join(" ") === "if not exists";
  const name = tokens[concurrently + (hasCondition ? 4 : 1)];
  return name === undefined || (name.kind === "word" && name.text === "on") ? undefined : name.text;
}

/** Returns the names of the invalid indexes of PostgreSQL that no running statement is building. */
export async function findInvalidIndexes(handle: Handle): Promise<readonly string[]> {
  const { connection, pool } = connectionOf(handle);
  // After a failed statement, a transaction accepts no other.
  if (pool.driver.dialect.name !== "postgresql" || connection.state !== "idle") return [];
  return handle.collect(sql.value(Row.text)`
    select class.relname::text from pg_index join pg_class class on class.oid = pg_index.indexrelid
    where not pg_index.indisvalid and class.relkind = 'i' and class.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_stat_progress_create_index running where running.index_relid = class.oid)
    order by class.relname`);
}

/** Returns true if the schema has a valid index of this name. */
export const hasValidIndex = async (handle: Handle, name: string): Promise<boolean> =>
  (await handle.find(sql.value(Row.int)`
    select count(*) from pg_index join pg_class class on class.oid = pg_index.indexrelid
    where pg_index.indisvalid and class.relname = ${name} and class.relnamespace = current_schema()::regnamespace`)) >
  0;

/** Drops an index if it is invalid and not being built. Returns true if it was dropped. */
export async function dropInvalidIndex(handle: Handle, name: string): Promise<boolean> {
  if (!(await findInvalidIndexes(handle)).includes(name)) return false;
  await connectionOf(handle).connection.script(`drop index concurrently if exists "${name.replaceAll('"', '""')}"`);
  return true;
}
