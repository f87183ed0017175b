import { lazy } from "../core/index.ts";
import { singularize } from "../inflection/index.ts";
import { errors } from "./errors.ts";
import { sql, type SqlPart, withCaller } from "../database/index.ts";
import { assertName, columnsOf } from "./columns.ts";
import { conditionPart } from "./conditions.ts";
import { assertIndex, assertSchema, assertSearch, assertTableName, type TableDefinition } from "./definition.ts";
import { insertAllOperation } from "./insert-all.ts";
import { makeLinks } from "./links.ts";
import { modelProperty, relationResolver, type TableModel, tableRowType } from "./model.ts";
import { observed } from "./observe.ts";
import { readOperations } from "./read.ts";
import type { Relations } from "./relation.ts";
import { compileRowBinder } from "./row-binder.ts";
import { searchOperations } from "./search.ts";
import type { Table } from "./table.ts";
import type { OwnName, TableColumns, TableRow } from "./types.ts";
import { upsertOperation } from "./upsert.ts";
import { writeOperations } from "./write.ts";

/**
 * Creates a table from the description of its fields.
 *
 * @throws E_TABLE for a definition that cannot be stored. Relations are checked on first use.
 * @example
 * const issues = Table.make("issues", {
 *   schema: Schema.record({ title: Schema.string({ max: 200 }), state: Schema.oneOf(["open", "closed"]) }),
 *   columns: { project_id: Row.uuid },
 *   timestamps: true,
 *   relations: { project: () => Table.belongsTo(projects) },
 * });
 */
export function makeTable<
  S,
  C extends TableColumns = {},
  R extends Relations = {},
  T extends boolean = false,
  V extends boolean = false,
  D extends boolean = false,
>(
  name: string,
  definition: TableDefinition<S, C, R, T, V, D>,
): Table<TableRow<S, C, T, V, D>, OwnName<T, V, D> & string, R> {
  const model = modelFrom(name, definition as unknown as AnyDefinition);
  const binder = lazy(() => compileRowBinder(model));
  const links = lazy(() => {
    const entries = Object.entries(makeLinks(model)).map(([relation, operations]) => [
      relation,
      withCallers(model, operations, `links.${relation}.`),
    ]);
    return Object.freeze(Object.fromEntries(entries) as Record<string, object>);
  });
  const table = {
    ...modelProperty(model),
    ...withCallers(model, {
      ...readOperations(model),
      ...writeOperations(model, binder),
      ...searchOperations(model),
      ...insertAllOperation(model, binder),
      ...upsertOperation(model, binder),
    }),
    // In parentheses, so that it stays one condition beside others.
    where: (condition: unknown): SqlPart => sql`(${conditionPart(model, condition)})`,
    name,
    row: model.row,
    relations: definition.relations ?? {},
    singular: model.singular,
    get links() {
      return links();
    },
  };
  // The operations take and return values without types: the interface gives them those of the definition.
  return Object.freeze(table) as unknown as Table<TableRow<S, C, T, V, D>, OwnName<T, V, D> & string, R>;
}

/** Returns operations that can be observed, and whose errors name the lines that called them. */
function withCallers(model: TableModel, operations: object, prefix = ""): object {
  const entries = Object.entries(operations as Readonly<Record<string, (...values: unknown[]) => Promise<unknown>>>);
  const wrapped = entries.map(([name, operation]) => {
    const run = observed(model, prefix + name, operation);
    return [name, (...values: unknown[]) => withCaller(run(...values))];
  });
  return Object.freeze(Object.fromEntries(wrapped) as object);
}

type AnyDefinition = TableDefinition<unknown, TableColumns, Relations, boolean, boolean, boolean>;

function modelFrom(name: string, definition: AnyDefinition): TableModel {
  const { schema, id = "uuid4", timestamps = false, version = false, softDelete = false, unique = [] } = definition;
  assertTableName(name);
  assertSchema(name, schema);
  if (id !== "uuid4" && id !== "uuid7") throw errors.E_TABLE(name, 'id must be "uuid4" or "uuid7".');
  const options = { timestamps, version, softDelete };
  const columns = columnsOf(name, schema, definition.columns ?? {}, definition.encrypted ?? {}, options);
  const columnsByName = new Map(columns.map((column) => [column.name, column]));
  const { filter = [], filterBy = [], sortBy = [], fullText = [] } = definition.search ?? {};
  const search = { filter, filterBy, sortBy, fullText };
  const indexes = (definition.indexes ?? []).map((names) => [names].flat());
  for (const names of unique) assertIndex({ name, columnsByName }, "unique", names);
  for (const names of indexes) assertIndex({ name, columnsByName }, "indexes", names);
  const relations = definition.relations ?? {};
  const filteredColumns = filterBy.filter((filtered) => !Object.hasOwn(relations, filtered));
  assertSearch({ name, columnsByName }, { ...search, filterBy: filteredColumns });
  for (const relation of Object.keys(relations)) {
    assertName(name, relation);
    for (const property of [relation, `${relation}_count`]) {
      const isOther = property !== relation && Object.hasOwn(relations, property);
      if (columnsByName.has(property) || isOther) {
        throw errors.E_TABLE(
          name,
          `the relation "${relation}" would hide the ${isOther ? "relation" : "column"} "${property}". Rename one of them.`,
        );
      }
    }
    if (typeof relations[relation] !== "function") {
      throw errors.E_TABLE(name, `the relation "${relation}" must be a function that returns it.`);
    }
  }
  const storedNames = columns.flatMap((column) => column.storedNames);
  const lowerCase = storedNames.map((column) => column.toLowerCase());
  const taken = storedNames.find((_, index) => lowerCase.indexOf(lowerCase[index]!) !== index);
  if (taken !== undefined)
    throw errors.E_TABLE(name, `the blind index "${taken}" is also a column. Rename the column.`);
  const singular = definition.singular ?? singularize(name);
  const row = tableRowType(name, columns);
  return Object.freeze({
    ...options,
    name,
    singular,
    schema: schema as TableModel["schema"],
    id,
    columns,
    columnsByName,
    row,
    storedNames,
    storedColumns: sql.columns({ ...row, columns: storedNames }),
    templates: new Map(),
    unique,
    indexes,
    search,
    relations: relationResolver({ name, singular, columnsByName }, relations),
  });
}
