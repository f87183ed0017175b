import type { SqlToken } from "../sql-tokens.ts";
import type { TableChange } from "./table-change.ts";

/**
 * Name of a rule of the lint, for the option `allow` of a step and for the comment `-- lint: allow …`.
 *
 * `index-lock`: building an index blocks writes. `index-transaction`: `concurrently` inside a transaction. `rewrite`: the
 * change copies the table. `not-null`: existing rows have no value, or are all read under a lock. `volatile-default`: the
 * default makes the change a rewrite. `constraint-scan`: a new constraint reads all rows under a lock. `foreign-key-index`:
 * a foreign key without an index. `drop-column`, `drop-table`, `rename-column`, `rename-table`: the running application uses
 * the name. `table-lock`: a lock that excludes all others. `mass-change`: one statement changes all rows. `no-lock-timeout`:
 * statements wait for locks without a limit. `several-statements`: a text that MariaDB can leave half-done.
 */
export type LintRule =
  | "index-lock"
  | "index-transaction"
  | "rewrite"
  | "not-null"
  | "volatile-default"
  | "constraint-scan"
  | "foreign-key-index"
  | "drop-column"
  | "drop-table"
  | "rename-column"
  | "rename-table"
  | "table-lock"
  | "mass-change"
  | "no-lock-timeout"
  | "several-statements";

/** Problem of a statement, with the safe way. */
export interface RuleFinding {
  readonly rule: LintRule;
  /** Danger, as a sentence. */
  readonly problem: string;
  /** Safe way, as a sentence. */
  readonly advice: string;
}

/** Statement of a step, with its change and its mode. */
export interface LintedStatement {
  readonly tokens: readonly SqlToken[];
  /** Change of a table, or `undefined` for another statement. */
  readonly change: TableChange | undefined;
  readonly isTransactional: boolean;
}

/** Rules that apply to one kind of database. */
export type DialectRules = (statement: LintedStatement) => readonly RuleFinding[];
