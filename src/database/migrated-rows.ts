// Rows that migrations have inserted into the database of the tests, as SQL in the state table: deleting all data keeps them.
import { connectionOf, type Handle } from "./handle.ts";
import * as Row from "./row/row.ts";
import { rawFragment, sql } from "./statement/sql.ts";
import { listTables, markNamespace, stateTable, stateTableName } from "./state-table.ts";

/** Number of rows by table of the application. */
export type RowCounts = ReadonlyMap<string, number>;

const countedTable = sql.row(Row.record({ name: Row.text, count: Row.int }));

/** Maximum number of migrated rows of a table, and of characters of their statement, that cleaning keeps. */
const [maxKeptRows, maxInsertionLength] = [1000, 262_144];

/** Counts the rows of the application's tables. Stops in each table at `limit`. */
export async function countRows(handle: Handle, limit: number = Number.MAX_SAFE_INTEGER): Promise<RowCounts> {
  const tables = await listApplicationTables(handle);
  if (tables.length === 0) return new Map();
  const counts = tables.map(
    (table) =>
      sql`select ${table} as name, count(*) as count
        from (select 1 as one from ${rawFragment(quoteName(handle, table))} limit ${limit}) as counted`,
  );
  const rows = await handle.collect(countedTable`${sql.join(counts, sql` union all `)}`);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** Rows of a table as a statement that inserts them. */
interface MigratedTable {
  readonly count: number;
  readonly insertion: string;
}

type MigratedTables = Readonly<Record<string, MigratedTable>>;

/** Counts the rows of the application's tables before migrations run, for `recordMigratedRows`. */
export const countForRecord = (handle: Handle): Promise<RowCounts> => countRows(handle, maxKeptRows + 1);

/**
 * Records the rows of the tables that contained no others before migrations ran, unless they are many. Tests may have left rows in
 * the other tables.
 */
export async function recordMigratedRows(handle: Handle, before: RowCounts): Promise<void> {
  const recorded = await readMigratedTables(handle);
  const tables: Record<string, MigratedTable> = {};
  const counts = await countForRecord(handle);
  for (const table of await sortByCreation(handle, [...counts.keys()])) {
    const count = counts.get(table) ?? 0;
    const former = recorded[table];
    const isClean = (before.get(table) ?? 0) === (former?.count ?? 0);
    if (!isClean && former !== undefined) tables[table] = former;
    if (!isClean || count === 0 || count > maxKeptRows) continue;
    const insertion = await insertionOf(handle, table);
    if (insertion.length <= maxInsertionLength) tables[table] = { count, insertion };
  }
  if (Object.keys(tables).length === 0 && Object.keys(recorded).length === 0) return;
  await handle.exec(sql`delete from ${stateTable()} where ${isMigratedRows}`);
  await handle.exec(
    sql`insert into ${stateTable()} (namespace, number, name, checksum, started_at, progress)
      values (${markNamespace}, -1, ${recordName}, '', ${new Date(0)}, ${JSON.stringify(tables)})`,
  );
}

/** Deletes all rows of the application's tables, except those that migrations have inserted. */
export async function truncateTables(handle: Handle): Promise<void> {
  const tables = await listApplicationTables(handle);
  if (tables.length === 0) return;
  const migrated = Object.values(await readMigratedTables(handle));
  await connectionOf(handle).connection.truncate(
    tables,
    migrated.map(({ insertion }) => insertion),
  );
}

const recordName = "migrated rows";

const isMigratedRows = sql`namespace = ${markNamespace} and number = -1 and name = ${recordName}`;

const tableColumn = sql.row(Row.record({ name: Row.text, is_binary: Row.bool }));

/** Lists the columns of a table whose values are stored. */
const listColumns = (handle: Handle, table: string): Promise<readonly TableColumn[]> =>
  handle.collect(
    tableColumn`${sql.dialect({
      sqlite: sql`select name, 0 as is_binary from pragma_table_info(${table})`,
      postgresql: sql`select column_name::text as name, false as is_binary from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'`,
      mariadb: sql`select column_name as name, data_type regexp 'binary|blob|bit' as is_binary
        from information_schema.columns
        where table_schema = database() and table_name = ${table} and is_generated = 'NEVER'`,
    })}`,
  );

interface TableColumn {
  readonly name: string;
  readonly is_binary: boolean;
}

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
async function insertionOf(handle: Handle, table: string): Promise<string> {
  const dialect = connectionOf(handle).pool.driver.dialect.name;
  const quoted = (name: string): string => quoteName(handle, name);
  const columns = await listColumns(handle, table);
  const parts = columns.flatMap(({ name, is_binary }) => ["','", literals[dialect](quoted(name), is_binary)]);
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

/** Sorts tables so that each is after those that it refers to. Only PostgreSQL checks foreign keys while rows are inserted. */
async function sortByCreation(handle: Handle, tables: readonly string[]): Promise<readonly string[]> {
  if (connectionOf(handle).pool.driver.dialect.name !== "postgresql") return tables;
  const sorted = await handle.collect(
    sql.value(
      Row.text,
    )`select relname::text from pg_class where relnamespace = current_schema()::regnamespace order by oid`,
  );
  return sorted.filter((table) => tables.includes(table));
}

const listApplicationTables = async (handle: Handle): Promise<readonly string[]> =>
  (await listTables(handle)).filter((table) => table !== stateTableName());
