import { isError } from "../core/index.ts";
import { type OperationOptions, Row, untypedRow } from "../database/index.ts";
import type { TableColumn } from "./columns.ts";
import type { TableDatabase } from "./database.ts";
import { currentPrefix, decryptValue, isCurrent } from "./encryption.ts";
import { type AnyRow, requireModel } from "./model.ts";
import type { RelatedTable } from "./relation.ts";
import { StatementBuilder } from "./statement-builder.ts";
import { bindColumn, type BoundValues } from "./values.ts";

const batchSize = 500;

/** Result of `Table.reencrypt`. */
export interface Reencryption {
  /** Number of changed rows. */
  readonly changedCount: number;
  /**
   * Ids of the rows that keep the old key: their value in a unique blind index equals that of another row, which was stored
   * with the new key. Change or delete one of both rows, and run it again.
   */
  readonly duplicateIds: readonly string[];
}

/**
 * Encrypts the values of a table again that were encrypted with an old key. Run it after a rotation of FRAMEWORK_SECRET,
 * before the old secret is removed from FRAMEWORK_SECRET_OLD, and outside of a transaction. It reads 500 rows at a time, and
 * does not overwrite values that change meanwhile. If it is interrupted, the next run changes the remaining rows.
 *
 * @throws E_TABLE_DECRYPT for a value whose key is missing.
 */
export async function reencrypt(
  database: TableDatabase,
  table: RelatedTable,
  options: OperationOptions = {},
): Promise<Reencryption> {
  const model = requireModel(table);
  const columns = model.columns.filter(({ encryption }) => encryption !== undefined);
  if (columns.length === 0) return { changedCount: 0, duplicateIds: [] };
  const row = Row.record({
    id: Row.uuid,
    ...Object.fromEntries(columns.map(({ name }) => [name, Row.nullable(Row.text)])),
  });
  const reencryptRow = async (item: AnyRow): Promise<number> => {
    const id = item["id"] as string;
    const outdated = columns.filter(({ name }) => item[name] !== null && !isCurrent(item[name] as string));
    if (outdated.length === 0) return 0;
    const encrypted: BoundValues = new Map();
    for (const column of outdated) {
      bindColumn(encrypted, model.name, column, decryptValue(model.name, column, item[column.name], id), id);
    }
    const builder = new StatementBuilder(model).text("update ").name(model.name).text(" set ").assignments(encrypted);
    builder.text(" where ").name("id").text(" = ").value(id);
    for (const { name } of outdated) builder.text(" and ").name(name).text(" = ").value(item[name]);
    return database.exec(builder.build(untypedRow), options);
  };
  let changedCount = 0;
  const duplicateIds: string[] = [];
  let after: string | undefined;
  for (;;) {
    const builder = new StatementBuilder(model).text("select ").names(row.columns).text(" from ").name(model.name);
    appendOutdated(builder.text(" where ("), columns).text(")");
    if (after !== undefined) builder.text(" and ").name("id").text(" > ").value(after);
    builder.text(" order by ").name("id").text(" limit ").value(batchSize);
    const stored: readonly AnyRow[] = await database.collect(builder.build(row), options);
    for (const item of stored) {
      try {
        changedCount += await reencryptRow(item);
      } catch (error) {
        if (!isError(error, "E_DATABASE_UNIQUE")) throw error;
        duplicateIds.push(item["id"] as string);
      }
    }
    if (stored.length < batchSize) return { changedCount, duplicateIds };
    after = stored.at(-1)?.["id"] as string;
  }
}

/** Appends the condition of the rows with a value that was encrypted with another key than the current one. */
function appendOutdated(builder: StatementBuilder, columns: readonly TableColumn[]): StatementBuilder {
  const prefix = currentPrefix();
  return builder.list(columns, " or ", ({ name }) =>
    builder.text("substr(").name(name).text(`, 1, ${prefix.length}) <> `).value(prefix),
  );
}
