import type { Schema } from "../schema/index.ts";
import { errors } from "./errors.ts";
import { relevance } from "./search/sort-order.ts";
import { assertName, type TableColumn } from "./columns.ts";
import type { SearchColumns, TableModel } from "./model.ts";

type CheckedTable = Pick<TableModel, "name" | "columnsByName">;

/** Throws E_TABLE if a name cannot be that of a table. */
export function assertTableName(name: string): void {
  assertName(name, name);
  if (/^sqlite_/i.test(name)) throw errors.E_TABLE(name, `SQLite reserves names that begin with "sqlite_".`);
  if (/^excluded$/i.test(name)) throw errors.E_TABLE(name, `"excluded" is the new row of an upsert. Rename the table.`);
}

/** Throws E_TABLE if a schema is not that of a record. The types refuse others, but not in JavaScript. */
export function assertSchema(table: string, schema: Partial<Schema.RecordSchema<unknown>> | null | undefined): void {
  if (schema?.decodeJsonPartial !== undefined) return;
  const vendor = schema?.["~standard"]?.vendor ?? typeof schema;
  throw errors.E_TABLE(table, `"schema" must be made by Schema.record. Given: ${vendor}.`);
}

/** Throws E_TABLE if a search names a column that it cannot use. */
export function assertSearch(table: CheckedTable, search: SearchColumns): void {
  for (const [option, names] of Object.entries(search) as [keyof SearchColumns, readonly string[]][]) {
    for (const column of columnsOf(table, `search.${option}`, names)) {
      const fail = (reason: string): Error =>
        errors.E_TABLE(table.name, `"search.${option}" names the column "${column.name}", which ${reason}.`);
      const { type } = column.storage;
      if (column.encryption !== undefined) throw fail("is encrypted: the database cannot read it");
      if (type === "json" || type === "bytes") throw fail(`is ${describeType(column)}`);
      if (option === "fullText" && type !== "text" && type !== "string") throw fail("is no text");
      if (column.name === relevance && search.fullText.length > 0) {
        throw fail("has the name of the order by relevance. Rename the column");
      }
    }
  }
  const index = `${table.name}_full_text`;
  if (search.fullText.length > 0 && table.columnsByName.has(index)) {
    throw errors.E_TABLE(table.name, `the column "${index}" has the name of the full-text index. Rename the column.`);
  }
}

/** Throws E_TABLE if columns cannot have an index or a unique constraint on one of the databases. */
export function assertIndex(table: CheckedTable, option: "unique" | "indexes", names: readonly string[]): void {
  const fail = (problem: string): Error => errors.E_TABLE(table.name, `"${option}" ${problem}.`);
  const columns = columnsOf(table, option, names);
  if (columns.length === 0) throw fail("has an entry without a column");
  if (new Set(names).size < names.length) throw fail(`names a column twice: ${names.join(", ")}`);
  for (const column of columns) {
    const { type } = column.storage;
    if (column.encryption?.hasBlindIndex === false) {
      throw fail(`names the column "${column.name}", which is encrypted. Give it a blind index`);
    }
    if (type === "json" || type === "bytes")
      throw fail(`names the column "${column.name}", which is ${describeType(column)}`);
  }
}

/** Returns columns of a table. Throws E_TABLE for an unknown name. */
function columnsOf({ name, columnsByName }: CheckedTable, option: string, names: readonly string[]): TableColumn[] {
  return names.map((columnName) => {
    const column = columnsByName.get(columnName);
    if (column !== undefined) return column;
    throw errors.E_TABLE(name, `"${option}" names "${columnName}". Columns: ${[...columnsByName.keys()].join(", ")}.`);
  });
}

const describeType = ({ storage }: TableColumn): string => (storage.type === "json" ? "JSON" : "bytes");
