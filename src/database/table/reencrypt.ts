import type { OperationOptions } from "../options.ts";
import * as Row from "../row/row.ts";
import { untypedRow } from "../row/untyped-row.ts";
import type { TableColumn } from "./columns.ts";
import type { TableDatabase } from "./database.ts";
import { decryptValue, encryptValue, isCurrent } from "./encryption.ts";
import { requireModel, type TableModel } from "./model.ts";
import type { RelatedTable } from "./relation.ts";
import type { AnyRow } from "./row-type.ts";
import { StatementBuilder } from "./statement-builder.ts";
import { encodeColumn } from "./values.ts";

const batchSize = 500;

/**
 * Encrypts the values of a table again that were encrypted with an old key, and returns the number of changed rows. Run it
 * after a rotation of FRAMEWORK_SECRET, before the old secret is removed from FRAMEWORK_SECRET_OLD. It reads 500 rows at a
 * time, can be repeated, and does not overwrite values that change meanwhile.
 *
 * @throws E_TABLE_DECRYPT for a value whose key is missing.
 */
export async function reencrypt(
  database: TableDatabase,
  table: RelatedTable,
  options: OperationOptions = {},
): Promise<number> {
  const model = requireModel(table);
  const columns = model.columns.filter(({ encryption }) => encryption !== undefined);
  if (columns.length === 0) return 0;
  const row = Row.record({
    id: Row.uuid,
    ...Object.fromEntries(columns.map(({ name }) => [name, Row.nullable(Row.text)])),
  });
  let changedCount = 0;
  let after: string | undefined;
  for (;;) {
    const builder = new StatementBuilder(model).text("select ").names(row.columns).text(" from ").name(model.name);
    if (after !== undefined) builder.text(" where ").name("id").text(" > ").value(after);
    builder.text(" order by ").name("id").text(" limit ").value(batchSize);
    const stored: readonly AnyRow[] = await database.collect(builder.build(row), options);
    for (const item of stored) changedCount += await reencryptRow(model, database, columns, item, options);
    if (stored.length < batchSize) return changedCount;
    after = stored.at(-1)?.["id"] as string;
  }
}

async function reencryptRow(
  model: TableModel,
  database: TableDatabase,
  columns: readonly TableColumn[],
  item: AnyRow,
  options: OperationOptions,
): Promise<number> {
  const id = item["id"] as string;
  const outdated = columns.filter(({ name }) => item[name] !== null && !isCurrent(item[name] as string));
  if (outdated.length === 0) return 0;
  const builder = new StatementBuilder(model).text("update ").name(model.name).text(" set ");
  let isFirst = true;
  for (const column of outdated) {
    const value = decryptValue(model.name, column, item[column.name], id);
    for (const [name, stored] of encryptValue(model.name, column, encodeColumn(model.name, column, value), id)) {
      if (!isFirst) builder.text(", ");
      isFirst = false;
      builder.name(name).text(" = ").value(stored);
    }
  }
  builder.text(" where ").name("id").text(" = ").value(id);
  for (const { name } of outdated) builder.text(" and ").name(name).text(" = ").value(item[name]);
  return database.exec(builder.build(untypedRow), options);
}
