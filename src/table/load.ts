import { errors } from "./errors.ts";
import { type OperationOptions, Row, type RowType, sql, type Statement } from "../database/index.ts";
import { dialectOf, type TableDatabase } from "./database.ts";
import { appendAnyOf } from "./keys.ts";
import { modelOf, type ResolvedRelation, type TableModel } from "./model.ts";
import { orderPart } from "./order.ts";
import type { RelatedTable } from "./relation.ts";
import type { AnyRow } from "./row-type.ts";
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
  const relation = typeof name === "string" ? model.relations().get(name) : undefined;
  if (relation?.kind === "hasMany" || relation?.kind === "manyToMany") return relation;
  const countable = [...model.relations().values()].filter(({ kind }) => kind === "hasMany" || kind === "manyToMany");
  throw errors.E_TABLE_RELATION(
    model.name,
    name,
    countable.map((candidate) => candidate.name),
  );
}

/** Row whose relations are being loaded. */
type LoadingRow = Record<string, unknown>;

/** Loads the relations and counts of rows into them, each by one statement for each 100,000 keys. */
export async function loadRelations(
  model: TableModel,
  database: TableDatabase,
  rows: readonly AnyRow[],
  plan: LoadPlan,
  options: LoadOptions,
): Promise<void> {
  if (rows.length === 0 || plan === nothing) return;
  const loading = rows as readonly LoadingRow[];
  await Promise.all([
    ...plan.relations.map((planned) => loadRelation(model, database, loading, planned, options)),
    ...plan.counts.map((relation) => loadCount(model, database, loading, relation, options)),
  ]);
}

async function loadRelation(
  model: TableModel,
  database: TableDatabase,
  rows: readonly LoadingRow[],
  { relation, nested }: PlannedRelation,
  options: LoadOptions,
): Promise<void> {
  const { name, kind, column, target } = relation;
  const loadNested = async (items: readonly AnyRow[]): Promise<void> => {
    const targetModel = modelOf(target);
    if (targetModel !== undefined) await loadRelations(targetModel, database, items, nested, options);
  };
  if (kind === "belongsTo") {
    const keys = distinctKeys(rows, column);
    const items =
      keys.length === 0
        ? []
        : await collectByKeys(database, keys, options, (part) => select(model, database, relation, part, options));
    const itemsById = new Map(items.map((item) => [item["id"], item]));
    const isRequired = model.columnsByName.get(column)?.isNullable === false && !hidesDeleted(target, options);
    for (const row of rows) {
      const item = itemsById.get(row[column]);
      if (item === undefined && isRequired) throw errors.E_TABLE_TARGET(model.name, column, target.name);
      row[name] = item;
    }
    await loadNested(items);
    return;
  }
  // Each row gets its list at once, so that each id is looked up once: hashing ids is most of the work here.
  const groups = new Map<unknown, AnyRow[]>();
  for (const row of rows) {
    let group = groups.get(row["id"]);
    if (group === undefined) groups.set(row["id"], (group = []));
    row[name] = group;
  }
  const keys = [...groups.keys()] as string[];
  if (kind === "manyToMany") {
    const pairs = await collectByKeys(database, keys, options, (part) =>
      selectJoined(model, database, relation, part, options),
    );
    for (const [key, item] of pairs) groups.get(key)?.push(item);
  } else {
    const items = await collectByKeys(database, keys, options, (part) =>
      select(model, database, relation, part, options),
    );
    for (const item of items) groups.get(item[column])?.push(item);
  }
  if (kind === "hasOne") for (const row of rows) [row[name]] = row[name] as readonly AnyRow[];
  if (nested === nothing) return;
  await loadNested([...groups.values()].flatMap((group) => (kind === "hasOne" ? group.slice(0, 1) : group)));
}

// The keys of one statement are one text: 4 MB of UUIDs, a quarter of a packet of MariaDB (`max_allowed_packet`).
const maxKeys = 100_000;

/** Returns the rows of a statement about some keys, which is sent in parts if there are many. */
async function collectByKeys<T>(
  database: TableDatabase,
  keys: readonly string[],
  options: LoadOptions,
  statementOf: (keys: readonly string[]) => Statement<T>,
): Promise<readonly T[]> {
  if (keys.length <= maxKeys) return database.collect(statementOf(keys), options);
  const rows: T[] = [];
  for (let start = 0; start < keys.length; start += maxKeys) {
    const part = await database.collect(statementOf(keys.slice(start, start + maxKeys)), options);
    for (const row of part) rows.push(row);
  }
  return rows;
}

function distinctKeys(rows: readonly LoadingRow[], column: string): readonly string[] {
  const keys = new Set<unknown>();
  for (const row of rows) {
    const key = row[column];
    if (key !== null && key !== undefined) keys.add(key);
  }
  return [...keys] as string[];
}

/** Statement of the targets of `belongsTo`, `hasMany` and `hasOne`. */
function select(
  model: TableModel,
  database: TableDatabase,
  { kind, column, target, orderBy }: ResolvedRelation,
  keys: readonly string[],
  options: LoadOptions,
): Statement<AnyRow> {
  const builder = selectRows(model, target);
  appendAnyOf(builder.text(" where ").name(kind === "belongsTo" ? "id" : column), keys, dialectOf(database, options));
  if (hidesDeleted(target, options)) builder.text(" and ").name("deleted_at").text(" is null");
  if (kind !== "belongsTo") builder.text(" order by ").part(orderOf(target, orderBy));
  return builder.build(target.row as RowType<AnyRow>);
}

/** Statement of the targets of `manyToMany`, each with the key of the row that it belongs to. */
function selectJoined(
  model: TableModel,
  database: TableDatabase,
  { column, join, target, orderBy }: ResolvedRelation,
  keys: readonly string[],
  options: LoadOptions,
): Statement<readonly [key: string, item: AnyRow]> {
  const { table, targetColumn, row } = join!;
  const builder = new StatementBuilder(model)
    .text("select ")
    .name(`${table}.${column}`)
    .text(" as limmat_key, ")
    .part(sql.columns(target.row, target.name))
    .text(" from ")
    .name(table)
    .text(" join ")
    .name(target.name)
    .text(" on ")
    .name(`${target.name}.id`)
    .text(" = ")
    .name(`${table}.${targetColumn}`)
    .text(" where ")
    .name(`${table}.${column}`);
  appendAnyOf(builder, keys, dialectOf(database, options));
  if (hidesDeleted(target, options)) builder.text(" and ").name(`${target.name}.deleted_at`).text(" is null");
  return builder
    .text(" order by ")
    .part(orderOf(target, orderBy, target.name))
    .build(row);
}

const orderOf = (target: RelatedTable, orderBy: unknown, qualifier?: string): ReturnType<typeof orderPart> =>
  orderPart(modelOf(target) ?? target, target.row, orderBy, qualifier);

const hidesDeleted = (target: RelatedTable, { withDeleted = false }: LoadOptions): boolean =>
  !withDeleted && modelOf(target)?.softDelete === true;

async function loadCount(
  model: TableModel,
  database: TableDatabase,
  rows: readonly LoadingRow[],
  { name, column, target, join }: ResolvedRelation,
  options: LoadOptions,
): Promise<void> {
  const counts = await collectByKeys(database, distinctKeys(rows, "id"), options, countStatement);
  const countsByKey = new Map(counts.map(({ limmat_key, limmat_count }) => [limmat_key, limmat_count]));
  for (const row of rows) row[`${name}_count`] = countsByKey.get(row["id"] as string) ?? 0;

  function countStatement(keys: readonly string[]): Statement<Row.Infer<typeof countRow>> {
    const table = join?.table ?? target.name;
    const builder = new StatementBuilder(model)
      .text("select ")
      .name(`${table}.${column}`)
      .text(" as limmat_key, count(*) as limmat_count from ")
      .name(table);
    if (join !== undefined && hidesDeleted(target, options)) {
      builder.text(" join ").name(target.name).text(" on ").name(`${target.name}.id`);
      builder.text(" = ").name(`${table}.${join.targetColumn}`);
    }
    appendAnyOf(builder.text(" where ").name(`${table}.${column}`), keys, dialectOf(database, options));
    if (hidesDeleted(target, options)) builder.text(" and ").name(`${target.name}.deleted_at`).text(" is null");
    return builder.text(" group by ").name(`${table}.${column}`).build(countRow);
  }
}

const countRow = Row.record({ limmat_key: Row.uuid, limmat_count: Row.int });
