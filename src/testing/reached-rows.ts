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
  readonly #seen = new Set<string>();
  readonly #changeable = new Set<string>();
  readonly #rows = new Map<string, { readonly table: PolicyInternals.PolicyTable; readonly row: AnyRow }>();

  /** Adds the keys of rows that the request has asked about, to show them, or also to change them. */
  ask(keys: readonly string[], isForChange: boolean): void {
    for (const key of keys) {
      this.#seen.add(key);
      if (isForChange) this.#changeable.add(key);
    }
  }

  /** Adds a row that was read. Its first state counts: no change moves it below a parent that was asked about. */
  add(table: PolicyInternals.PolicyTable, row: AnyRow): void {
    const key = rowKey(table.table.name, row["id"]);
    if (!this.#rows.has(key)) this.#rows.set(key, { table, row });
  }

  /** Returns the keys of the rows that the request may show, and of those that it may change. */
  reached(): readonly [seen: ReadonlySet<string>, changeable: ReadonlySet<string>] {
    return [this.#reachedFrom(this.#seen), this.#reachedFrom(this.#changeable)];
  }

  /**
   * Returns keys of rows, those of rows below them whose parent decides about them, and those of rows to which foreign keys of
   * all of these refer.
   */
  #reachedFrom(keys: ReadonlySet<string>): ReadonlySet<string> {
    const [seen, referred] = [new Set(keys), new Set<string>()];
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
