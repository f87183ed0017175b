// Rows that migrations have inserted into the database of the tests, as SQL in the state table: deleting all data keeps them.
import { isDeepStrictEqual } from "node:util";
import { Configuration } from "../config/index.ts";
import { errors } from "./errors.ts";
import { connectionOf, type Handle } from "./handle.ts";
import * as Row from "./row/row.ts";
import { rawFragment, sql } from "./statement/sql.ts";
import { listTables, markNamespace, stateTable, stateTableName } from "./state-table.ts";

/** Number of rows by table of the application. */
export type RowCounts = ReadonlyMap<string, number>;

const countedTable = sql.row(Row.record({ name: Row.text, count: Row.int }));

/** Maximum number of migrated rows of a table, and of characters of their statement, that cleaning keeps. */
const [maxKeptRows, maxInsertionLength] = [1000, 262_144];

/** Maximum number of passes of a cleaning, and of tables that the triggers of one fill. */
const [maxPasses, maxChain] = [20, 5];

/** Maximum number of terms of a compound select (SQLite). */
const maxUnionTerms = 500;

/** Counts the rows of the application's tables. Stops in each table at `limit`. */
export async function countRows(handle: Handle, limit: number = Number.MAX_SAFE_INTEGER): Promise<RowCounts> {
  const counts = (await listApplicationTables(handle)).map(
    (table) =>
      sql`select ${table} as name, count(*) as count
        from (select 1 as one from ${rawFragment(quoteName(handle, table))} limit ${limit}) as counted`,
  );
  const rowCounts = new Map<string, number>();
  for (let start = 0; start < counts.length; start += maxUnionTerms) {
    const terms = counts.slice(start, start + maxUnionTerms);
    const rows = await handle.collect(countedTable`${sql.join(terms, sql` union all `)}`);
    for (const { name, count } of rows) rowCounts.set(name, count);
  }
  return rowCounts;
}

/** Rows of a table as a statement that inserts them. */
interface MigratedTable {
  readonly count: number;
  /** Columns at the time of the record, with their types. */
  readonly columns: readonly TableColumn[];
  readonly insertion: string;
}

type MigratedTables = Readonly<Record<string, MigratedTable>>;

/**
 * Runs a callback that migrates. In tests, records the rows of the tables that contained no others before, unless they are
 * many: tests may have left rows in the other tables. A failed callback may have inserted rows, too.
 */
export async function recordMigratedRows(handle: Handle, migrate: () => Promise<void>): Promise<void> {
  if (Configuration.environment() !== "test") return migrate();
  const before = await countRows(handle, maxKeptRows + 1);
  try {
    await migrate();
  } catch (error) {
    // The connection may be closed, or its transaction aborted. The error of the callback is the one to throw.
    await recordRows(handle, before).catch(() => {});
    throw error;
  }
  await recordRows(handle, before);
}

async function recordRows(handle: Handle, before: RowCounts): Promise<void> {
  const recorded = await readMigratedTables(handle);
  const tables: Record<string, MigratedTable> = {};
  const counts = await countRows(handle, maxKeptRows + 1);
  for (const table of await sortForInsertion(handle, [...counts.keys()])) {
    const count = counts.get(table) ?? 0;
    const former = recorded[table];
    const isClean = (before.get(table) ?? 0) === (former?.count ?? 0);
    if (isClean ? count === 0 || count > maxKeptRows : former === undefined) continue;
    const columns = await listColumns(handle, table);
    if (isClean) {
      const insertion = await insertionOf(handle, table, columns);
      if (insertion.length <= maxInsertionLength) tables[table] = { count, columns, insertion };
    } else if (former !== undefined && isDeepStrictEqual(former.columns, columns)) tables[table] = former;
  }
  if (Object.keys(tables).length === 0 && Object.keys(recorded).length === 0) return;
  await handle.transaction(async (inner) => {
    await inner.exec(sql`delete from ${stateTable()} where ${isMigratedRows}`);
    await inner.exec(
      sql`insert into ${stateTable()} (namespace, number, name, checksum, started_at, progress)
        values (${markNamespace}, -1, ${recordName}, '', ${new Date(0)}, ${JSON.stringify(tables)})`,
    );
  });
}

/**
 * Deletes all rows of the application's tables, except those that migrations have inserted. A table into which triggers insert
 * further rows meanwhile is emptied again, after the others.
 *
 * @throws E_DATABASE_ROWS_REMAIN if triggers insert rows each time.
 */
export async function truncateTables(handle: Handle): Promise<void> {
  const migrated = await readMigratedTables(handle);
  let tables = [...new Set([...Object.keys(migrated), ...(await listApplicationTables(handle))])];
  let surplus: readonly string[] = [];
  for (let pass = 0; pass < maxPasses; pass++) {
    if (tables.length === 0) return;
    const deletions = tables.map((table) => `delete from ${quoteName(handle, table)}`);
    const statements = tables.flatMap((table, index) => {
      const { insertion } = migrated[table] ?? {};
      if (insertion === undefined) return surplus.includes(table) ? deletions.slice(index, index + 1) : [];
      return [...deletions.slice(index, index + maxChain), insertion];
    });
    await connectionOf(handle).connection.truncate(tables, statements);
    const counts = await countRows(handle);
    surplus = tables.filter((table) => (counts.get(table) ?? 0) > (migrated[table]?.count ?? 0));
    if (surplus.length === 0) return;
    tables = [...tables.filter((table) => !surplus.includes(table)), ...surplus];
  }
  throw errors.E_DATABASE_ROWS_REMAIN(surplus);
}

const recordName = "migrated rows";

const isMigratedRows = sql`namespace = ${markNamespace} and number = -1 and name = ${recordName}`;

const tableColumn = sql.row(Row.record({ name: Row.text, type: Row.text }));

/** Lists the columns of a table whose values are stored. The type ends with `not null` for a column that requires a value. */
const listColumns = (handle: Handle, table: string): Promise<readonly TableColumn[]> =>
  handle.collect(
    tableColumn`${sql.dialect({
      sqlite: sql`select name, type || iif("notnull", ' not null', '') as type from pragma_table_info(${table})`,
      postgresql: sql`select attname::text as name,
          format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as type
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = current_schema()::regnamespace and relname = ${table}
          and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      mariadb: sql`select column_name as name, concat(column_type, if(is_nullable = 'NO', ' not null', '')) as type
        from information_schema.columns
        where table_schema = database() and table_name = ${table} and is_generated = 'NEVER'
        order by ordinal_position`,
    })}`,
  );

interface TableColumn {
  readonly name: string;
  readonly type: string;
}

const binaryType = /^(?:\w*(?:binary|blob)|bit)/;

const literals = {
  sqlite: (column: string) => `quote(${column})`,
  postgresql: (column: string) => `quote_nullable(${column}::text)`,
  // `quote` would escape with backslashes, which the connections of this framework read as text.
  mariadb: (column: string, isBinary: boolean) =>
    `ifnull(concat(${isBinary ? `'x''', hex(${column})` : `'''', replace(${column}, '''', '''''')`}, ''''), 'null')`,
};

/** Quotes a name that the database has returned. */
function quoteName(handle: Handle, name: string): string {
  const mark = connectionOf(handle).pool.driver.dialect.identifierQuote;
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/** Returns the statement that inserts the present rows of a table. */
async function insertionOf(handle: Handle, table: string, columns: readonly TableColumn[]): Promise<string> {
  const dialect = connectionOf(handle).pool.driver.dialect.name;
  const quoted = (name: string): string => quoteName(handle, name);
  const parts = columns.flatMap(({ name, type }) => ["','", literals[dialect](quoted(name), binaryType.test(type))]);
  const row = ["'('", ...parts.slice(1), "')'"];
  const text = rawFragment(dialect === "mariadb" ? `concat(${row.join(", ")})` : row.join(" || "));
  const rows = await handle.collect(sql.value(Row.text)`select ${text} from ${rawFragment(quoted(table))}`);
  const overriding = dialect === "postgresql" ? " overriding system value" : "";
  const names = columns.map(({ name }) => quoted(name));
  return `insert into ${quoted(table)} (${names.join(", ")})${overriding} values ${rows.join(", ")}`;
}

async function readMigratedTables(handle: Handle): Promise<MigratedTables> {
  const text = await handle.findOpt(sql.value(Row.text)`select progress from ${stateTable()} where ${isMigratedRows}`);
  return JSON.parse(text ?? "{}") as MigratedTables;
}

const ruleRow = sql.row(Row.record({ owner: Row.text, body: Row.text }));

/** Tables to fill before those that the text names: their triggers insert into these, or these refer to them on PostgreSQL. */
const rules = sql.dialect({
  sqlite: sql`select tbl_name as owner, sql as body from sqlite_master where type = 'trigger'`,
  postgresql: sql`select relname::text as owner, prosrc as body from pg_trigger
      join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid where not tgisinternal
    union all select target.relname::text, owner.relname::text from pg_constraint
      join pg_class owner on owner.oid = conrelid join pg_class target on target.oid = confrelid
      where contype = 'f' and connamespace = current_schema()::regnamespace`,
  mariadb: sql`select event_object_table as owner, action_statement as body from information_schema.triggers
    where trigger_schema = database()`,
});

/** Sorts tables by `rules`, as far as these have no cycles. */
async function sortForInsertion(handle: Handle, names: readonly string[]): Promise<ReadonlySet<string>> {
  const owners = await handle.collect(ruleRow`${rules}`);
  const sorted = new Set<string>();
  const visited = new Set<string>();
  const visit = (table: string): void => {
    if (visited.size === visited.add(table).size) return;
    const isNamed = (body: string): boolean =>
      body === table || body.toLowerCase().split(/\W+/).includes(table.toLowerCase());
    for (const { owner, body } of owners) if (isNamed(body)) visit(owner);
    if (names.includes(table)) sorted.add(table);
  };
  names.forEach(visit);
  return sorted;
}

const listApplicationTables = async (handle: Handle): Promise<readonly string[]> =>
  (await listTables(handle)).filter((table) => table !== stateTableName());
