import { connectionOf, type Handle, rawFragment, Row, sql } from "../../database/index.ts";
import { errors } from "../errors.ts";
import { parseStatements } from "../sql-tokens.ts";

/**
 * Returns a guard: a query that must find no rows before the statements behind it run. Its comment says what the rows have.
 * A client that does not know guards shows the rows.
 */
export const guardText = (problem: string, query: string): string => `/* refused while ${problem} */ ${query}`;

/** True for SQL that contains a guard. */
export const mayHaveGuards = (script: string): boolean => script.includes("/* refused while ");

const pattern = /^\s*\/\* refused while (.+?) \*\/\s*(select\b.+)$/is;

/** Runs a statement if it is a guard. Returns false for another statement. Throws E_MIGRATION_VALUES if it finds rows. */
export async function runGuard(handle: Handle, label: string, statement: string): Promise<boolean> {
  const [, problem, query] = pattern.exec(statement) ?? [];
  if (problem === undefined || query === undefined) return false;
  const { connection, pool } = connectionOf(handle);
  const isPostgresql = pool.driver.dialect.name === "postgresql";
  const table = /\sfrom\s+(["`]?\w+["`]?)/i.exec(query)?.[1];
  if (isPostgresql && connection.state === "transaction" && table !== undefined) {
    // No row may appear between the check and the change. Readers go on.
    await connection.script(`lock table ${table} in share row exclusive mode`);
  }
  const first = `${query} limit 1`;
  // PostgreSQL refuses to run a prepared query again if the types of its columns have changed.
  const rows = `select row_to_json(limmat_refused)::text as example from (${first}) limmat_refused`;
  const [example] = await handle.collect(sql`${rawFragment(isPostgresql ? rows : first)}`);
  if (example === undefined) return true;
  const count = await handle.find(sql.value(Row.int)`select count(*) from (${rawFragment(query)}) limmat_refused`);
  const row: unknown = isPostgresql ? JSON.parse(String(example["example"])) : example;
  throw errors.E_MIGRATION_VALUES(label, problem, count, exampleText(row));
}

/** Runs the statements of a script in order, with its guards. */
export async function runGuardedScript(handle: Handle, label: string, script: string): Promise<void> {
  const { connection, pool } = connectionOf(handle);
  for (const { text } of parseStatements(script, pool.driver.dialect.name)) {
    if (!(await runGuard(handle, label, text))) await connection.script(text);
  }
}

function exampleText(row: unknown): string {
  const text = JSON.stringify(row, (_, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return typeof value === "string" && value.length > 60 ? `${value.slice(0, 59)}…` : value;
  });
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
