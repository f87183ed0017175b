import { errors } from "./errors.ts";
import { Row, type SqlPart } from "../database/index.ts";
import { conditionPart } from "./conditions.ts";
import type { TableDatabase } from "./database.ts";
import { type LoadOptions, loadRelations, planOf } from "./load.ts";
import type { TableModel } from "./model.ts";
import { orderPart } from "./order.ts";
import type { AnyRow } from "./row-type.ts";
import { selectRows, StatementBuilder } from "./statement-builder.ts";
import { isUuidText } from "./values.ts";

/** Options of `collect`. */
export interface CollectOptions extends LoadOptions {
  readonly where?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: number;
  readonly offset?: number;
}

/** Returns the only row of an id or a condition, or `undefined`. */
export async function findRow(
  model: TableModel,
  database: TableDatabase,
  condition: unknown,
  options: LoadOptions = {},
): Promise<AnyRow | undefined> {
  const plan = planOf(model, options);
  // A text that is no UUID is the id of no row.
  if (typeof condition === "string" && !isUuidText(condition)) return undefined;
  const where = conditionPart(model, typeof condition === "string" ? { id: condition } : condition);
  // The second row is enough for E_DATABASE_TOO_MANY_ROWS.
  const statement = appendWhere(selectRows(model, model), model, where, options).text(" limit 2").build(model.row);
  const row = await database.findOpt(statement, options);
  if (row !== undefined) await loadRelations(model, database, [row], plan, options);
  return row;
}

/** Returns rows in an order. */
export async function collectRows(
  model: TableModel,
  database: TableDatabase,
  options: CollectOptions = {},
): Promise<readonly AnyRow[]> {
  const { where, orderBy = "id", limit, offset } = options;
  const plan = planOf(model, options);
  const condition = where === undefined ? undefined : conditionPart(model, where);
  const builder = appendWhere(selectRows(model, model), model, condition, options);
  builder.text(" order by ").part(orderPart(model, model.row, orderBy));
  if (limit !== undefined || offset !== undefined) {
    // An offset needs a limit on SQLite and MariaDB.
    builder.text(" limit ").value(assertCount(model, "limit", limit ?? Number.MAX_SAFE_INTEGER));
    if (offset !== undefined) builder.text(" offset ").value(assertCount(model, "offset", offset));
  }
  const rows = await database.collect(builder.build(model.row), options);
  await loadRelations(model, database, rows, plan, options);
  return rows;
}

/** Returns the number of rows that match a condition. */
export async function countRows(
  model: TableModel,
  database: TableDatabase,
  condition: unknown,
  options: LoadOptions = {},
): Promise<number> {
  const where = condition === undefined ? undefined : conditionPart(model, condition);
  const builder = new StatementBuilder(model).text("select count(*) from ").name(model.name);
  return database.find(appendWhere(builder, model, where, options).build(intValue), options);
}

/** Returns true if a row matches a condition. */
export async function rowExists(
  model: TableModel,
  database: TableDatabase,
  condition: unknown,
  options: LoadOptions = {},
): Promise<boolean> {
  if (typeof condition === "string" && !isUuidText(condition)) return false;
  const where = conditionPart(model, typeof condition === "string" ? { id: condition } : condition);
  const builder = new StatementBuilder(model).text("select 1 from ").name(model.name);
  const statement = appendWhere(builder, model, where, options).text(" limit 1").build(intValue);
  return (await database.findOpt(statement, options)) !== undefined;
}

const intValue = Row.value(Row.int);

/** Appends the condition, and the one that hides deleted rows. */
function appendWhere(
  builder: StatementBuilder,
  model: TableModel,
  where: SqlPart | undefined,
  { withDeleted = false }: LoadOptions,
): StatementBuilder {
  const hidesDeleted = model.softDelete && !withDeleted;
  if (where !== undefined) builder.text(" where (").part(where).text(")");
  if (hidesDeleted)
    builder
      .text(where === undefined ? " where " : " and ")
      .name("deleted_at")
      .text(" is null");
  return builder;
}

function assertCount(model: TableModel, option: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw errors.E_TABLE(model.name, `"${option}" must be a whole number, at least 0.`);
}
