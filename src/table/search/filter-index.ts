import { errors } from "../../database/index.ts";
import type { DialectStatements } from "./full-text-index.ts";

/** Statements of an index for the filter text of searches, created by `filterIndex`. */
export interface FilterIndex {
  /** Statements that create the index, for `Migration.step`. */
  readonly up: DialectStatements;
  /** Statements that drop the index. */
  readonly down: DialectStatements;
}

/**
 * Returns the statements of an index that serves `sql.contains` and the `filter` of searches, on PostgreSQL with the
 * extension pg_trgm. If the extension is not available or not permitted, the database warns and creates no index. SQLite and MariaDB
 * have no such index: filters read all rows there, and `fullTextIndex` is the alternative for large tables.
 *
 * The index serves texts with three consecutive letters or digits.
 *
 * @throws E_SQL_IDENTIFIER
 * @example
 * const issueFilter = filterIndex("issues", ["title", "body"]);
 * Migration.step("index of the filter", issueFilter.up, { down: issueFilter.down });
 */
export function filterIndex(table: string, columns: readonly string[]): FilterIndex {
  for (const identifier of [table, ...columns]) {
    if (!/^[A-Za-z_]\w*$/.test(identifier))
      throw errors.E_SQL_IDENTIFIER(identifier, "it must consist of letters, digits and underscores.");
  }
  const create = columns.map(
    (column) =>
      `create index "${table}_${column}_filter" on "${table}" using gin (lower(cast("${column}" as text) collate "C") gin_trgm_ops);`,
  );
  const warning = `the filter of ${table} has no index and reads all rows`;
  const block = `do $block$ begin
    if not exists (select from pg_available_extensions where name = 'pg_trgm') then
      raise warning 'pg_trgm is not available: ${warning}';
      return;
    end if;
    create extension if not exists pg_trgm;
    ${create.join("\n    ")}
  exception when insufficient_privilege then
    raise warning 'pg_trgm is not permitted: ${warning}';
  end $block$`;
  const drop = columns.map((column) => `drop index if exists "${table}_${column}_filter"`);
  return Object.freeze({
    up: { postgresql: [block], sqlite: [], mariadb: [] },
    down: { postgresql: drop, sqlite: [], mariadb: [] },
  });
}
