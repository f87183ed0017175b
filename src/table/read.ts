import { errors } from "./errors.ts";
import { errors as databaseErrors, Row, type SqlPart, statementText } from "../database/index.ts";
import { conditionPart, orderPart } from "./conditions.ts";
import type { TableDatabase } from "./database.ts";
import { type LoadOptions, loadRelations, planOf } from "./load.ts";
import type { AnyRow, TableModel } from "./model.ts";
import { selectRows, StatementBuilder } from "./statement-builder.ts";
import { isUuidText } from "./values.ts";

interface CollectOptions extends LoadOptions {
  readonly where?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: number;
  readonly offset?: number;
}

/** Creates the operations of a table that read rows. */
export function readOperations(model: TableModel): object {
  const findRow = async (database: TableDatabase, condition: unknown, options: LoadOptions, isOptional: boolean) => {
    const plan = planOf(model, options);
    const where = idOrCondition(model, condition);
    // The second row is enough for E_DATABASE_TOO_MANY_ROWS.
    const statement =
      where && appendWhere(selectRows(model, model), model, where, options).text(" limit 2").build(model.row);
    const row = statement && (await database.findOpt(statement, options));
    if (row !== undefined) await loadRelations(model, database, [row], plan, options);
    else if (!isOptional) {
      throw databaseErrors.E_DATABASE_NO_ROW(statement && statementText(database, statement, options), model.name);
    }
    return row;
  };
  const findOpt = (database: TableDatabase, condition: unknown, options: LoadOptions = {}) =>
    findRow(database, condition, options, true);
  const find = (database: TableDatabase, condition: unknown, options: LoadOptions = {}) =>
    findRow(database, condition, options, false);
  const collect = async (database: TableDatabase, options: CollectOptions = {}): Promise<readonly AnyRow[]> => {
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
  };
  const count = async (database: TableDatabase, condition?: unknown, options: LoadOptions = {}): Promise<number> => {
    const where = condition === undefined ? undefined : conditionPart(model, condition);
    const builder = new StatementBuilder(model).text("select count(*) from ").name(model.name);
    return database.find(appendWhere(builder, model, where, options).build(intValue), options);
  };
  const exists = async (database: TableDatabase, condition: unknown, options: LoadOptions = {}): Promise<boolean> => {
    const where = idOrCondition(model, condition);
    if (where === undefined) return false;
    const builder = new StatementBuilder(model).text("select 1 from ").name(model.name);
    const statement = appendWhere(builder, model, where, options).text(" limit 1").build(intValue);
    return (await database.findOpt(statement, options)) !== undefined;
  };
  return { find, findOpt, collect, count, exists };
}

const intValue = Row.value(Row.int);

/** Returns a condition or that of an id; `undefined` for a text that is no UUID, so the id of no row. */
function idOrCondition(model: TableModel, condition: unknown): SqlPart | undefined {
  if (typeof condition !== "string") return conditionPart(model, condition);
  return isUuidText(condition) ? conditionPart(model, { id: condition }) : undefined;
}

/** Appends the condition, and the one that hides deleted rows. */
function appendWhere(
  builder: StatementBuilder,
  model: TableModel,
  where: SqlPart | undefined,
  { withDeleted = false }: LoadOptions,
): StatementBuilder {
  if (where !== undefined) builder.text(" where (").part(where).text(")");
  if (!model.softDelete || withDeleted) return builder;
  return builder
    .text(where === undefined ? " where " : " and ")
    .name("deleted_at")
    .text(" is null");
}

function assertCount(model: TableModel, option: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw errors.E_TABLE(model.name, `"${option}" must be a whole number, at least 0.`);
}
