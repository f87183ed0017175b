import { errors, type OperationOptions, type SqlPart } from "../database/index.ts";
import type { AnySearchParameters } from "./search/search-parameters.ts";
import { conditionPart } from "./conditions.ts";
import type { TableDatabase } from "./database.ts";
import { makeInsertAll } from "./insert-all.ts";
import type { LoadOptions } from "./load.ts";
import type { TableModel } from "./model.ts";
import { type CollectOptions, collectRows, countRows, findRow, rowExists } from "./read.ts";
import type { AnyRow } from "./row-type.ts";
import { makeSearch, type SearchOptions } from "./search.ts";
import { type UpsertOptions, upsertRow } from "./upsert.ts";
import { type ChangeOptions, deleteRow, type DeleteOptions, insertRow, restoreRow, updateRow } from "./write.ts";

/** Creates the operations of a table. */
export function makeOperations(model: TableModel): object {
  const search = makeSearch(model);
  return {
    insert: (database: TableDatabase, value: AnyRow, options?: OperationOptions) =>
      insertRow(model, database, value, options),
    insertAll: makeInsertAll(model),
    update: (database: TableDatabase, item: unknown, changes: AnyRow, options?: ChangeOptions) =>
      updateRow(model, database, item, changes, options),
    upsert: (database: TableDatabase, value: AnyRow, options: UpsertOptions<string>) =>
      upsertRow(model, database, value, options),
    delete: (database: TableDatabase, item: unknown, options?: DeleteOptions) =>
      deleteRow(model, database, item, options),
    restore: (database: TableDatabase, item: unknown, options?: OperationOptions) =>
      restoreRow(model, database, item, options),
    find: async (database: TableDatabase, condition: unknown, options?: LoadOptions) => {
      const row = await findRow(model, database, condition, options);
      if (row === undefined) throw errors.E_DATABASE_NO_ROW(model.name);
      return row;
    },
    findOpt: (database: TableDatabase, condition: unknown, options?: LoadOptions) =>
      findRow(model, database, condition, options),
    collect: (database: TableDatabase, options?: CollectOptions) => collectRows(model, database, options),
    count: (database: TableDatabase, condition?: unknown, options?: LoadOptions) =>
      countRows(model, database, condition, options),
    exists: (database: TableDatabase, condition: unknown, options?: LoadOptions) =>
      rowExists(model, database, condition, options),
    search: (database: TableDatabase, parameters: AnySearchParameters = {}, options: SearchOptions = {}) =>
      search.search(database, parameters, options),
    searchPage: (database: TableDatabase, parameters: AnySearchParameters = {}, options: SearchOptions = {}) =>
      search.searchPage(database, parameters, options),
    where: (condition: unknown): SqlPart => conditionPart(model, condition),
  };
}
