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

  /**
   * Returns the keys of the rows that the request may show, and of those that it may change. The foreign keys of such rows lead
   * to further ones.
   */
  reached(): readonly [seen: ReadonlySet<string>, changeable: ReadonlySet<string>] {
    return [this.#withReferred(this.#visible()), this.#withReferred(this.#changeable)];
  }

  /** Returns the keys of the rows that are visible because of others: below a parent that decides, and the other way round. */
  #visible(): ReadonlySet<string> {
    const visible = new Set(this.#seen);
    for (let size = -1; size < visible.size;) {
      size = visible.size;
      for (const [key, { table, row }] of this.#rows) {
        for (const { column, target, isEnough, isImplied } of table.parents()) {
          const parent = rowKey(target, row[column]);
          if (isEnough && visible.has(parent)) visible.add(key);
          if (isImplied && visible.has(key)) visible.add(parent);
        }
      }
    }
    return visible;
  }

  #withReferred(keys: ReadonlySet<string>): ReadonlySet<string> {
    const referred = new Set(keys);
    // A set also iterates over what is added meanwhile.
    for (const key of referred) {
      const { table, row } = this.#rows.get(key) ?? {};
      if (table === undefined || row === undefined) continue;
      for (const { kind, column, target } of TableInternals.requireModel(table.table).relations().values()) {
        if (kind === "belongsTo") referred.add(rowKey(target.name, row[column]));
      }
    }
    return referred;
  }
}
