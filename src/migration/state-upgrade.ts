import {
  type ColumnTypes,
  connectionOf,
  type Handle,
  Row,
  sql,
  stateTable,
  stateTableName,
} from "../database/index.ts";

/**
 * Brings a state table of an older version up to date: it lacked the column `progress`, and its key was the position of a
 * step. A step whose name occurs twice in a namespace gets its position behind the name, by which `compareSteps` knows it.
 *
 * SQLite and PostgreSQL commit all at once. On MariaDB each statement can run again after an interruption.
 */
export async function upgradeStateTable(
  handle: Handle,
  columns: readonly string[],
  createTableSql: (table: string, types: ColumnTypes) => string,
): Promise<void> {
  const name = stateTableName();
  const { columnTypes } = connectionOf(handle).pool.driver.dialect;
  await handle.transaction(async (inner) => {
    const { connection, pool } = connectionOf(inner);
    const run = async (text: string): Promise<void> => connection.script(text);
    if (!columns.includes("progress")) await run(`alter table ${name} add column progress ${columnTypes.text}`);
    if (!columns.includes("key number")) return;
    await numberDuplicates(inner);
    switch (pool.driver.dialect.name) {
      case "sqlite":
        await run(createTableSql(`${name}_new`, columnTypes));
        await run(
          `insert into ${name}_new select namespace, number, name, checksum, started_at, applied_at, duration_ms, progress from ${name}`,
        );
        await run(`drop table ${name}; alter table ${name}_new rename to ${name}`);
        break;
      case "postgresql": {
        const key = await inner.find(sql.value(Row.text)`select conname::text from pg_constraint
          where contype = 'p' and conrelid = (select oid from pg_class
            where relnamespace = current_schema()::regnamespace and relname = ${name})`);
        await run(`alter table ${name} drop constraint "${key}", add primary key (namespace, name)`);
        break;
      }
      case "mariadb":
        await run(`alter table ${name} drop primary key, add primary key (namespace, name)`);
    }
  });
}

const rowId = Row.record({ namespace: Row.text, number: Row.int, name: Row.text });

async function numberDuplicates(handle: Handle): Promise<void> {
  const table = stateTable();
  const names = new Set<string>();
  const rows = await handle.collect(
    sql.row(rowId)`select ${sql.columns(rowId)} from ${table} order by namespace, number`,
  );
  for (const { namespace, number, name } of rows) {
    const key = `${namespace} ${name}`;
    if (names.has(key)) {
      const numbered = numberedName(name, number);
      await handle.exec(
        sql`update ${table} set name = ${numbered} where namespace = ${namespace} and number = ${number}`,
      );
    }
    names.add(key);
  }
}

const numberedName = (name: string, number: number): string => `${name.slice(0, 240)} #${number}`;
