import { AsyncLocalStorage } from "node:async_hooks";
import { type Database, sql, type SqlPart } from "../../../database/index.ts";
import { PolicyInternals } from "../../../policy/index.ts";
import { Schema } from "../../../schema/index.ts";
import { TableInternals } from "../../../table/index.ts";
import { type FilterType, Query, type Request } from "../../../web/index.ts";
import { errors } from "../errors.ts";
import type { AdminTable, AdminTableOptions } from "./table.ts";

/** Row of any table. */
export type AdminRow = TableInternals.AnyRow & { readonly id: string; readonly version?: number | undefined };

type Where = readonly unknown[];
type Item = { readonly id: string; readonly version: number | "any" };

/** Operations of any table that `Table.make` created. */
interface Operations {
  findOpt(database: Database, where: Where): Promise<AdminRow | undefined>;
  collect(
    database: Database,
    options: { readonly where: Where; readonly limit?: number },
  ): Promise<readonly AdminRow[]>;
  count(database: Database, where: Where): Promise<number>;
  search(
    database: Database,
    query: object,
    options: { readonly where: Where },
  ): Promise<readonly [items: readonly AdminRow[], total: number]>;
  update(database: Database, item: Item, changes: object): Promise<AdminRow>;
  delete(database: Database, item: Item): Promise<void>;
}

/** Table with what its pages show and filter by. */
export interface ShownTable {
  readonly name: string;
  readonly options: AdminTableOptions<TableInternals.AnyRow>;
  readonly model: TableInternals.TableModel;
  readonly operations: Operations;
  /** Schema of the form: the fields that are neither sensitive nor encrypted. */
  readonly schema: Schema.RecordSchema<TableInternals.AnyRow>;
  /** Names of the tables with pages that foreign keys refer to, by column. */
  readonly references: ReadonlyMap<string, string>;
  /** Relations through a join table to tables with pages. */
  readonly links: readonly TableInternals.ResolvedRelation[];
  readonly actions: readonly ("index" | "show" | "edit" | "update" | "destroy")[];
  readonly columns: readonly string[];
  readonly facts: readonly string[];
  readonly filterBy: Readonly<Record<string, FilterType>>;
  readonly sortBy: readonly string[];
  /** True if the list has a text search, whose columns are all shown. */
  readonly canSearch: boolean;
  /** Runs a query with the condition of the rows that the user of the current request may see. */
  readonly ask: <Result>(run: (where: readonly SqlPart[]) => Promise<Result>) => Promise<Result>;
}

/** Request that is being answered. Services of resources do not receive it. */
export const currentRequest: AsyncLocalStorage<Request> = new AsyncLocalStorage({ name: "limmat.admin" });

/** Returns the tables of a router, by name. @throws E_TABLE, E_ADMIN_TABLE */
export function showTables(tables: readonly AdminTable[]): ReadonlyMap<string, ShownTable> {
  const models = tables.map(({ table }) => TableInternals.requireModel(table));
  const shown = new Map<string, ShownTable>();
  for (const [index, { table, options }] of tables.entries()) {
    if (shown.has(table.name)) throw errors.E_ADMIN_TABLE(table.name, "it is in the list twice");
    const operations = table as unknown as Operations;
    shown.set(table.name, { ...describeTable(models[index]!, options, models), name: table.name, options, operations });
  }
  return shown;
}

type Model = TableInternals.TableModel;

function describeTable(
  model: Model,
  options: ShownTable["options"],
  models: readonly Model[],
): Omit<ShownTable, "name" | "options" | "operations"> {
  const { policy, only = ["edit", "destroy"] } = options;
  const relations = [...model.relations().values()];
  const isListed = ({ target }: TableInternals.ResolvedRelation): boolean =>
    models.some(({ name }) => name === target.name);
  const links = relations.filter((relation) => relation.join !== undefined && isListed(relation));
  const isHidden = (name: string): boolean =>
    model.columnsByName.get(name)?.encryption !== undefined || model.schema.field(name)?.isSensitive === true;
  const references = new Map(referencesOf(model, models).filter(([name]) => !isHidden(name)));
  const fields = model.schema.fields.filter((name) => !isHidden(name));
  const times = model.timestamps ? ["created_at", "updated_at"] : [];
  const columns = [...fields, ...[...references.keys()].filter((name) => !fields.includes(name)), ...times];
  const named = [...(options.columns ?? []), ...(options.facts ?? [])];
  const refused = named.find((name) => isHidden(name) || !model.columnsByName.has(name));
  if (refused !== undefined) {
    throw errors.E_ADMIN_TABLE(model.name, `its column "${refused}" is sensitive, encrypted or unknown. Leave it out`);
  }
  const isShort = (name: string): boolean =>
    !["text", "json", "list", "record"].includes(model.schema.field(name)?.kind ?? "") && !references.has(name);
  const defaults = [...fields.filter(isShort).slice(0, 4), ...[...references.keys()].slice(0, 2), ...times.slice(0, 1)];
  // Filters and sort columns would reveal the values of other columns.
  const canUse = (name: string): boolean =>
    [...columns, ...named, "id"].includes(name) && policy?.readable[name] === undefined;
  const filters = new Set([...model.search.filterBy, ...references.keys()]);
  const usable = [...filters].filter((name) => canUse(name) || links.some((relation) => relation.name === name));
  const types = usable.map((name) => [name, filterType(model, name)] as const);
  return {
    model,
    schema: fields.length === model.schema.fields.length ? model.schema : pick(model.schema, fields),
    references,
    links,
    actions: ["index", "show", ...only, ...(only.includes("edit") ? (["update"] as const) : [])],
    columns: options.columns ?? defaults,
    facts: options.facts ?? columns,
    filterBy: Object.fromEntries(types.filter((entry): entry is [string, FilterType] => entry[1] !== undefined)),
    sortBy: model.search.sortBy.filter(canUse),
    canSearch: model.search.filter.length > 0 && model.search.filter.every(canUse),
    ask: async <Result>(run: (where: readonly SqlPart[]) => Promise<Result>): Promise<Result> =>
      policy === undefined
        ? PolicyInternals.unchecked("admin pages", () => run([TableInternals.always]))
        : run([await policy.where(currentRequest.getStore()!)]),
  };
}

const pick = (schema: Model["schema"], names: readonly string[]): ShownTable["schema"] =>
  Schema.record(Object.fromEntries(names.map((name) => [name, schema.field(name)!])));

/** Returns the foreign keys of a table, as its relations and those of the others say, and the tables that they refer to. */
function referencesOf(model: Model, models: readonly Model[]): readonly (readonly [column: string, table: string])[] {
  const own = [...model.relations().values()].flatMap(({ kind, column, target }) =>
    kind === "belongsTo" && models.some(({ name }) => name === target.name) ? [[column, target.name] as const] : [],
  );
  const others = models.flatMap((other) =>
    [...other.relations().values()].flatMap(({ kind, column, target }) =>
      (kind === "hasMany" || kind === "hasOne") && target.name === model.name ? [[column, other.name] as const] : [],
    ),
  );
  return [...others, ...own];
}

/** Returns the filter by a column, or by the linked rows of a relation; `undefined` for a type without one. */
function filterType({ columnsByName }: Model, name: string): FilterType | undefined {
  const column = columnsByName.get(name);
  if (column === undefined) return Query.nullable(Query.uuid);
  const { storage, isNullable } = column;
  if (storage.type === "timestamp") return Query.range(Query.timestamp);
  if (storage.type === "date") return Query.range(Query.date);
  const { uuid, bool, int, decimal, text } = Query;
  const types: { readonly [Type in typeof storage.type]?: FilterType } = { uuid, bool, int, decimal };
  const isText = storage.type === "string" || storage.type === "text";
  const type = storage.oneOf ? Query.oneOf(...storage.oneOf) : isText ? text : types[storage.type];
  return type && (isNullable ? Query.nullable(type) : type);
}

/** Returns the condition of the rows that a relation links to a row. */
export const linkedTo = ({ column, join }: TableInternals.ResolvedRelation, id: string): SqlPart => {
  const [key, target, table] = [column, join!.targetColumn, join!.table].map(TableInternals.columnFragment);
  return sql`${TableInternals.columnFragment("id")} in (select ${target!} from ${table!} where ${key!} = ${id})`;
};
