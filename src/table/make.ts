import { singularize } from "../inflection/index.ts";
import type { Schema } from "../schema/index.ts";
import { errors } from "./errors.ts";
import { sql } from "../database/index.ts";
import { assertName, blindIndexName, columnsOf, type EncryptedColumns } from "./columns.ts";
import type { TableDefinition } from "./definition.ts";
import { assertIndex, assertSchema, assertSearch, assertTableName } from "./definition-checks.ts";
import { makeLinks } from "./links.ts";
import { modelProperty, relationResolver, type TableModel } from "./model.ts";
import { makeOperations } from "./operations.ts";
import type { Relations } from "./relation.ts";
import { tableRowType } from "./row-type.ts";
import type { Table } from "./table.ts";
import type { EditableOf, TableColumns, TableRow } from "./types.ts";

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
  const C extends TableColumns = {},
  const R extends Relations = {},
  const T extends boolean = false,
  const V extends boolean = false,
  const D extends boolean = false,
>(name: string, definition: TableDefinition<S, C, R, T, V, D>): Table<TableRow<S, C, T, V, D>, EditableOf<S, C>, R, V> {
  const model = modelFrom(name, definition as unknown as AnyDefinition);
  let links: ReturnType<typeof makeLinks> | undefined;
  const table = {
    ...modelProperty(model),
    ...makeOperations(model),
    name,
    row: model.row,
    relations: definition.relations ?? {},
    singular: model.singular,
    get links() {
      return (links ??= makeLinks(model));
    },
  };
  // The operations take and return values without types: the interface gives them those of the definition.
  return Object.freeze(table) as unknown as Table<TableRow<S, C, T, V, D>, EditableOf<S, C>, R, V>;
}

/** Definition without its types. */
interface AnyDefinition {
  readonly schema: Schema.RecordSchema<unknown>;
  readonly columns?: TableColumns;
  readonly id?: "uuid4" | "uuid7";
  readonly timestamps?: boolean;
  readonly version?: boolean;
  readonly softDelete?: boolean;
  readonly encrypted?: EncryptedColumns;
  readonly relations?: Relations;
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (string | readonly string[])[];
  readonly search?: Partial<TableModel["search"]>;
  readonly singular?: string;
}

function modelFrom(name: string, definition: AnyDefinition): TableModel {
  const { schema, id = "uuid4", timestamps = false, version = false, softDelete = false } = definition;
  assertTableName(name);
  assertSchema(name, schema);
  if (id !== "uuid4" && id !== "uuid7") throw errors.E_TABLE(name, 'id must be "uuid4" or "uuid7".');
  const options = { timestamps, version, softDelete };
  const columns = columnsOf(name, schema, definition.columns ?? {}, definition.encrypted ?? {}, options);
  const columnsByName = new Map(columns.map((column) => [column.name, column]));
  const { filter = [], filterBy = [], sortBy = [], fullText = [] } = definition.search ?? {};
  const search = { filter, filterBy, sortBy, fullText };
  const unique = definition.unique ?? [];
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
  const storedNames = columns.flatMap(({ name: column, encryption }) =>
    encryption?.hasBlindIndex === true ? [column, blindIndexName(column)] : [column],
  );
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
