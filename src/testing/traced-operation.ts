import { TableInternals } from "../table/index.ts";
import { policyOf, rowKey } from "./reached-rows.ts";

type AnyRow = TableInternals.AnyRow;
type Relations = ReturnType<TableInternals.TableModel["relations"]>;

/** Rows of a table with a policy that an operation has read. */
export interface ReadRows {
  /** Name of the operation, with the relations to load: `issues.search with labels`. */
  readonly name: string;
  readonly table: string;
  readonly rows: readonly AnyRow[];
  /** Parts of the condition of the operation. Loaded relations have none. */
  readonly conditions: readonly unknown[];
}

const entryOf = (value: unknown, name: string): unknown => (value as AnyRow | null | undefined)?.[name];
const listOf = (value: unknown): readonly unknown[] => [value ?? []].flat();

/** Returns the rows that an operation has read, also into relations; `undefined` for an operation that changes rows. */
export function readRows(
  { model, name, values: [, first, second] }: TableInternals.TableOperation,
  result: unknown,
): readonly ReadRows[] | undefined {
  const visit = (found: unknown, conditions: unknown, options: unknown): readonly ReadRows[] => {
    const base = { name: `${model.name}.${name}`, table: model.name, conditions: listOf(conditions) };
    return withRelations(
      { ...base, rows: listOf(found) as readonly AnyRow[] },
      model.relations(),
      entryOf(options, "with"),
    );
  };
  switch (name) {
    case "count":
    case "exists":
      return [];
    case "find":
    case "findOpt":
      return visit(result, first, second);
    case "collect":
      return visit(result, entryOf(first, "where"), first);
    case "search":
    case "searchPage":
      return visit(
        entryOf(result, "0"),
        [first, second].flatMap((value) => listOf(entryOf(value, "where"))),
        second,
      );
    default:
      return undefined;
  }
}

/** Returns rows, if they have a policy, and those of the relations that were loaded into them. */
function withRelations(read: ReadRows, relations: Relations, loaded: unknown): readonly ReadRows[] {
  const entries = listOf(loaded).flatMap((entry): readonly (readonly [string, unknown])[] =>
    typeof entry === "string" ? [[entry, []]] : Object.entries(entry as AnyRow),
  );
  const nested = entries.flatMap(([relation, others]) => {
    const { target } = relations.get(relation)!;
    const rows = read.rows.flatMap((row) => listOf(row[relation])) as readonly AnyRow[];
    const next = { name: `${read.name} with ${relation}`, table: target.name, rows, conditions: [] };
    return withRelations(next, TableInternals.modelOf(target)?.relations() ?? new Map(), others);
  });
  return [...(policyOf(read.table) === undefined ? [] : [read]), ...nested];
}

/** Keys of rows about which a change needs questions. */
export interface NeededRows {
  readonly changed: readonly string[];
  /** Rows that the changed ones are inserted below or linked to. */
  readonly seen: readonly string[];
}

/** Returns the rows of tables with a policy about which a request must ask for a change. */
export function neededRows(
  { model, name, values: [, item, changes] }: TableInternals.TableOperation,
  result: unknown,
): NeededRows {
  const keysOf = (table: string, ids: readonly unknown[]): readonly string[] =>
    policyOf(table) === undefined ? [] : ids.map((id) => rowKey(table, id));
  const parentsOf = (row: unknown): readonly string[] =>
    (policyOf(model.name)?.parents() ?? []).flatMap(({ column, target }) =>
      keysOf(target, listOf(entryOf(row, column))),
    );
  if (name === "insert" || name === "insertAll") return { changed: [], seen: listOf(item).flatMap(parentsOf) };
  if (name === "upsert") {
    const seen = parentsOf(item);
    // Without a parent, the row itself counts, which may have existed.
    return { changed: seen.length > 0 ? [] : keysOf(model.name, [entryOf(result, "id")]), seen };
  }
  const changed = keysOf(model.name, [entryOf(item, "id")]);
  if (name === "update") return { changed, seen: parentsOf(changes) };
  const [, relation = "", change] = name.split(".");
  const target = model.relations().get(relation)?.target.name;
  return { changed, seen: target === undefined || change === "remove" ? [] : keysOf(target, listOf(changes)) };
}
