import { PolicyInternals } from "../policy/index.ts";
import { TableInternals } from "../table/index.ts";

type AnyRow = TableInternals.AnyRow;

/** Returns the policy of a table. */
export const policyOf = (table: string): PolicyInternals.PolicyTable | undefined =>
  PolicyInternals.policyTables().get(table.toLowerCase());

/** Returns the key of a row among the rows of all tables. */
export const rowKey = (table: string, id: unknown): string => `${table}:${String(id)}`.toLowerCase();

/** Rows of tables with a policy that a request has met: those that it has asked about, and those that it has read. */
export class ReachedRows {
  readonly #asked = new Set<string>();
  readonly #rows = new Map<string, { readonly table: PolicyInternals.PolicyTable; readonly row: AnyRow }>();

  /** Adds the keys of rows that the request has asked about. */
  ask(keys: readonly string[]): void {
    for (const key of keys) this.#asked.add(key);
  }

  /** Adds a row that was read. Its first state counts: no change moves it below a parent that was asked about. */
  add(table: PolicyInternals.PolicyTable, row: AnyRow): void {
    const key = rowKey(table.table.name, row["id"]);
    if (!this.#rows.has(key)) this.#rows.set(key, { table, row });
  }

  /**
   * Returns the keys of the rows that were asked about, of rows below those whose parent decides about them, and of rows to
   * which foreign keys of all of these refer.
   */
  reached(): ReadonlySet<string> {
    const [seen, referred] = [new Set(this.#asked), new Set<string>()];
    for (let size = -1; size < seen.size + referred.size;) {
      size = seen.size + referred.size;
      for (const [key, { table, row }] of this.#rows) {
        const parents = table
          .parents()
          .map((parent) => ({ ...parent, key: rowKey(parent.target, row[parent.column]) }));
        if (parents.some((parent) => parent.isEnough && seen.has(parent.key))) seen.add(key);
        if (seen.has(key)) for (const parent of parents) if (parent.isImplied) seen.add(parent.key);
        if (!seen.has(key) && !referred.has(key)) continue;
        for (const { kind, column, target } of TableInternals.requireModel(table.table).relations().values()) {
          if (kind === "belongsTo") referred.add(rowKey(target.name, row[column]));
        }
      }
    }
    return seen.union(referred);
  }
}
