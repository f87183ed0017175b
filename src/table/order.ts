import { errors } from "./errors.ts";
import type { RowType, SqlPart } from "../database/index.ts";
import { decimalSize, orderClause, type SortColumn } from "./search/sort-order.ts";
import type { TableModel } from "./model.ts";

/** Table whose rows are ordered. Related tables that `Table.make` did not create have only a name. */
type OrderedTable = Pick<TableModel, "name"> & Partial<Pick<TableModel, "columnsByName">>;

/**
 * Returns the clause after `order by`. Rows with equal values are ordered by id. With a qualifier, the columns are those of
 * the table with this name.
 *
 * @throws E_TABLE_COLUMN, E_TABLE for an encrypted column and for another direction than asc and desc
 */
export function orderPart(
  table: OrderedTable,
  row: RowType<unknown>,
  orderBy: unknown = "id",
  qualifier?: string,
): SqlPart {
  const directions: Readonly<Record<string, unknown>> =
    typeof orderBy === "string" ? { [orderBy]: "asc" } : { ...(orderBy as object) };
  const order = Object.entries(directions).map(([name, direction]) => sortColumn(table, row, name, direction));
  const idIndex = order.findIndex(({ column }) => column === "id");
  if (idIndex === -1) order.push({ column: "id", direction: order.at(-1)?.direction ?? "asc", isNullable: false });
  else order.length = idIndex + 1;
  const qualified =
    qualifier === undefined ? order : order.map((entry) => ({ ...entry, column: `${qualifier}.${entry.column}` }));
  return orderClause(qualified);
}

function sortColumn(
  { name: table, columnsByName }: OrderedTable,
  row: RowType<unknown>,
  name: string,
  direction: unknown,
): SortColumn {
  if (!row.columns.includes(name)) throw errors.E_TABLE_COLUMN(table, name, row.columns);
  const column = columnsByName?.get(name);
  if (column?.encryption !== undefined || column?.storage.type === "json") {
    const reason = column.encryption === undefined ? "is JSON" : "is encrypted";
    throw errors.E_TABLE(table, `rows cannot be ordered by "${name}", which ${reason}.`);
  }
  if (direction !== "asc" && direction !== "desc") {
    throw errors.E_TABLE(table, `the direction of "${name}" must be asc or desc.`);
  }
  return { column: name, direction, isNullable: row.isNullable(name), decimal: decimalSize(row.storageOf?.(name)) };
}
