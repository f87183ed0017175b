import { errors } from "./errors.ts";
import { type OperationOptions, Row, type RowType, sql, type SqlPart, type Statement } from "../database/index.ts";
import { orderPart } from "./conditions.ts";
import { appendAnyOf, dialectOf, type TableDatabase } from "./database.ts";
import { type AnyRow, modelOf, type ResolvedRelation, type TableModel } from "./model.ts";
import type { RelatedTable } from "./relation.ts";
import { selectRows, StatementBuilder } from "./statement-builder.ts";

/** Relations and counts to load, resolved before the first statement is sent. */
export interface LoadPlan {
  readonly relations: readonly PlannedRelation[];
  readonly counts: readonly ResolvedRelation[];
}

interface PlannedRelation {
  readonly relation: ResolvedRelation;
  readonly nested: LoadPlan;
}

/** Options of the operations that read rows. */
export interface LoadOptions extends OperationOptions {
  readonly with?: unknown;
  readonly counts?: unknown;
  readonly withDeleted?: boolean;
}

const nothing: LoadPlan = { relations: [], counts: [] };

/** Resolves the options `with` and `counts`. Throws E_TABLE_RELATION for an unknown relation. */
export function planOf(model: TableModel, { with: relations = [], counts = [] }: LoadOptions): LoadPlan {
  if (isEmptyList(relations) && isEmptyList(counts)) return nothing;
  if (!Array.isArray(counts)) throw errors.E_TABLE_RELATION(model.name, counts, ["a list of names"]);
  return { relations: planRelations(model.name, model, relations), counts: counts.map((name) => counted(model, name)) };
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function planRelations(name: string, model: TableModel | undefined, list: unknown): readonly PlannedRelation[] {
  if (!Array.isArray(list)) throw errors.E_TABLE_RELATION(name, list, ["a list of names"]);
  const relations = model?.relations() ?? new Map<string, ResolvedRelation>();
  const nestedByName = new Map<string, unknown[]>();
  for (const entry of list as readonly unknown[]) {
    const pairs = typeof entry === "object" && entry !== null ? Object.entries(entry) : [[entry, []] as const];
    for (const [relation, nested] of pairs) {
      if (typeof relation !== "string" || !relations.has(relation)) {
        throw errors.E_TABLE_RELATION(name, relation, [...relations.keys()]);
      }
      if (!Array.isArray(nested)) throw errors.E_TABLE_RELATION(name, nested, ["a list of names"]);
      nestedByName.set(relation, [...(nestedByName.get(relation) ?? []), ...(nested as unknown[])]);
    }
  }
  return [...nestedByName].map(([relationName, nested]) => {
    const relation = relations.get(relationName)!;
    const target = modelOf(relation.target);
    const plan =
      nested.length === 0 ? nothing : { relations: planRelations(relation.target.name, target, nested), counts: [] };
    return { relation, nested: plan };
  });
}

function counted(model: TableModel, name: unknown): ResolvedRelation {
  const countable = [...model.relations().values()].filter(({ kind }) => kind === "hasMany" || kind === "manyToMany");
  const relation = countable.find((candidate) => candidate.name === name);
  if (relation !== undefined) return relation;
  const names = countable.map((candidate) => candidate.name);
  throw errors.E_TABLE_RELATION(model.name, name, names);
}

/** Rows whose relations are being loaded, and the table and database to which they belong. */
interface Loading {
  readonly model: TableModel;
  readonly database: TableDatabase;
  readonly rows: readonly Record<string, unknown>[];
  readonly options: LoadOptions;
}

/** Loads the relations and counts of rows into them, each by one statement for each 100,000 keys. */
export async function loadRelations(
  model: TableModel,
  database: TableDatabase,
  rows: readonly AnyRow[],
  plan: LoadPlan,
  options: LoadOptions,
): Promise<void> {
  if (rows.length === 0 || plan === nothing) return;
  const loading: Loading = { model, database, rows, options };
  await Promise.all([
    ...plan.relations.map(async ({ relation, nested }) => {
      const load = relation.kind === "belongsTo" ? loadTargets : loadGroups;
      const items = await load(loading, relation);
      const target = modelOf(relation.target);
      if (target !== undefined) await loadRelations(target, database, items, nested, options);
    }),
    ...plan.counts.map((relation) => loadCount(loading, relation)),
  ]);
}

/** Loads the row that a foreign key of each row refers to. Returns the loaded rows. */
async function loadTargets(loading: Loading, relation: ResolvedRelation): Promise<readonly AnyRow[]> {
  const { model, rows, options } = loading;
  const { name, column, target } = relation;
  const items = await collectByKeys(loading, distinctKeys(rows, column), (keys) => select(loading, relation, keys));
  const itemsById = new Map(items.map((item) => [item["id"], item]));
  const isRequired = model.columnsByName.get(column)?.isNullable === false && !hidesDeleted(target, options);
  for (const row of rows) {
    const item = itemsById.get(row[column]);
    if (item === undefined && isRequired) throw errors.E_TABLE_TARGET(model.name, column, target.name);
    row[name] = item;
  }
  return items;
}

/** Loads the rows that refer to each row, of `hasOne` the first. Returns the loaded rows. */
async function loadGroups(loading: Loading, relation: ResolvedRelation): Promise<readonly AnyRow[]> {
  const { name, kind, column } = relation;
  // Each row gets its list at once, so that each id is looked up once: hashing ids is most of the work here.
  const groups = new Map<unknown, AnyRow[]>();
  for (const row of loading.rows) {
    let group = groups.get(row["id"]);
    if (group === undefined) groups.set(row["id"], (group = []));
    row[name] = group;
  }
  const keys = [...groups.keys()] as string[];
  if (kind === "manyToMany") {
    const pairs = await collectByKeys(loading, keys, (part) => selectJoined(loading, relation, part));
    for (const [key, item] of pairs) groups.get(key)?.push(item);
    return pairs.map(([, item]) => item);
  }
  const items = await collectByKeys(loading, keys, (part) => select(loading, relation, part));
  for (const item of items) groups.get(item[column])?.push(item);
  if (kind === "hasMany") return items;
  for (const row of loading.rows) [row[name]] = row[name] as readonly AnyRow[];
  return [...groups.values()].flatMap((group) => group.slice(0, 1));
}

// The keys of one statement are one text: 4 MB of UUIDs, a quarter of a packet of MariaDB (`max_allowed_packet`).
const maxKeys = 100_000;

/** Returns the rows of a statement about some keys, which is sent in parts if there are many. */
async function collectByKeys<T>(
  { database, options }: Loading,
  keys: readonly string[],
  statementOf: (keys: readonly string[]) => Statement<T>,
): Promise<readonly T[]> {
  if (keys.length === 0) return [];
  if (keys.length <= maxKeys) return database.collect(statementOf(keys), options);
  const rows: T[] = [];
  for (let start = 0; start < keys.length; start += maxKeys) {
    const part = await database.collect(statementOf(keys.slice(start, start + maxKeys)), options);
    for (const row of part) rows.push(row);
  }
  return rows;
}

function distinctKeys(rows: Loading["rows"], column: string): readonly string[] {
  const keys = new Set<unknown>();
  for (const row of rows) {
    const key = row[column];
    if (key !== null && key !== undefined) keys.add(key);
  }
  return [...keys] as string[];
}

/** Statement of the targets of `belongsTo`, `hasMany` and `hasOne`. */
function select(
  { model, database, options }: Loading,
  { kind, column, target, orderBy }: ResolvedRelation,
  keys: readonly string[],
): Statement<AnyRow> {
  const builder = selectRows(model, target);
  appendAnyOf(builder.text(" where ").name(kind === "belongsTo" ? "id" : column), keys, dialectOf(database, options));
  if (hidesDeleted(target, options)) builder.text(" and ").name("deleted_at").text(" is null");
  if (kind !== "belongsTo") builder.text(" order by ").part(orderOf(target, orderBy));
  return builder.build(target.row as RowType<AnyRow>);
}

/** Statement of the targets of `manyToMany`, each with the key of the row that it belongs to. */
function selectJoined(
  { model, database, options }: Loading,
  { column, join, target, orderBy }: ResolvedRelation,
  keys: readonly string[],
): Statement<readonly [key: string, item: AnyRow]> {
  const { table, targetColumn, row } = join!;
  const builder = new StatementBuilder(model).text("select ").name(`${table}.${column}`).text(" as limmat_key, ");
  builder.part(sql.columns(target.row, target.name)).text(" from ").name(table);
  appendJoin(builder, target.name, `${table}.${targetColumn}`).text(" where ").name(`${table}.${column}`);
  appendAnyOf(builder, keys, dialectOf(database, options));
  if (hidesDeleted(target, options)) builder.text(" and ").name(`${target.name}.deleted_at`).text(" is null");
  return builder
    .text(" order by ")
    .part(orderOf(target, orderBy, target.name))
    .build(row);
}

const appendJoin = (builder: StatementBuilder, target: string, column: string): StatementBuilder =>
  builder.text(" join ").name(target).text(" on ").name(`${target}.id`).text(" = ").name(column);

const orderOf = (target: RelatedTable, orderBy: unknown, qualifier?: string): SqlPart =>
  orderPart(modelOf(target) ?? target, target.row, orderBy, qualifier);

/** Returns true if the deleted rows of a relation's target are not found. */
export const hidesDeleted = (target: RelatedTable, { withDeleted = false }: LoadOptions): boolean =>
  !withDeleted && modelOf(target)?.softDelete === true;

async function loadCount(loading: Loading, { name, column, target, join }: ResolvedRelation): Promise<void> {
  const { model, database, rows, options } = loading;
  const table = join?.table ?? target.name;
  const key = `${table}.${column}`;
  const isFiltered = hidesDeleted(target, options);
  const counts = await collectByKeys(loading, distinctKeys(rows, "id"), (keys) => {
    const builder = new StatementBuilder(model).text("select ").name(key);
    builder.text(" as limmat_key, count(*) as limmat_count from ").name(table);
    if (join !== undefined && isFiltered) appendJoin(builder, target.name, `${table}.${join.targetColumn}`);
    appendAnyOf(builder.text(" where ").name(key), keys, dialectOf(database, options));
    if (isFiltered) builder.text(" and ").name(`${target.name}.deleted_at`).text(" is null");
    return builder.text(" group by ").name(key).build(countRow);
  });
  const countsByKey = new Map(counts.map(({ limmat_key, limmat_count }) => [limmat_key, limmat_count]));
  for (const row of rows) row[`${name}_count`] = countsByKey.get(row["id"] as string) ?? 0;
}

const countRow = Row.record({ limmat_key: Row.uuid, limmat_count: Row.int });
