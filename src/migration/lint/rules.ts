import type { DialectName } from "../../database/index.ts";
import { hasKeywords, keyword, type SqlToken } from "../sql-tokens.ts";
import { addPostgresqlFindings, nullableFirst } from "./postgresql-rules.ts";
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

/** Adds a finding of a statement. */
export type AddFinding = (rule: LintRule, problem: string, advice: string) => void;

/** Returns the findings of a statement that changes an existing table, by the rules of a database. */
export function statementFindings(statement: LintedStatement, dialect: DialectName): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  const add: AddFinding = (rule, problem, advice) => void findings.push({ rule, problem, advice });
  addCommonFindings(statement, add);
  if (dialect === "sqlite") addSqliteFindings(statement, add);
  else if (dialect === "postgresql") addPostgresqlFindings(statement, add);
  else addMariadbFindings(statement, add);
  return findings;
}

const twoDeployments = "Deploy code that does not use it first, and remove it with a later deployment.";

function addCommonFindings({ tokens, change }: LintedStatement, add: AddFinding): void {
  if (change === undefined) return;
  const { table, kind } = change;
  if (kind === "drop table") {
    add("drop-table", `The running application may use the table "${table}", and its rows are lost.`, twoDeployments);
  }
  if (kind === "rename table") {
    const advice =
      "Create the new table, write to both, copy the rows with Migration.batches, and drop the old one later.";
    add("rename-table", `The running application knows the table "${table}" by this name only.`, advice);
  }
  for (const action of change.actions) {
    const name = `"${table}.${action.column}"`;
    if (action.kind === "drop column") {
      add("drop-column", `The running application may read the column ${name}.`, twoDeployments);
    }
    if (action.kind === "rename column") {
      const advice =
        "Add the new column, write to both, copy the values with Migration.batches, and drop the old one later.";
      add("rename-column", `The running application knows ${name} by this name only.`, advice);
    }
  }
  if ((kind === "update" || kind === "delete") && !tokens.some(({ text }) => text === "where")) {
    const problem = `One statement ${kind === "update" ? "changes" : "deletes"} and locks all rows of "${table}".`;
    const advice = "Use Migration.batches, which locks few rows at a time and goes on after an interruption.";
    add("mass-change", problem, advice);
  }
}

/** Adds the findings of a statement on an existing table of SQLite (its manual, ALTER TABLE and foreign keys). */
function addSqliteFindings({ tokens, change, isTransactional }: LintedStatement, add: AddFinding): void {
  if (keyword(tokens[0]) === "vacuum") {
    const advice = "Run it at a time of few writes, in a step with { transaction: false }, and allow the rule.";
    add("table-lock", "VACUUM copies the whole database while all writes wait, and fails in a transaction.", advice);
  }
  if (keyword(tokens[0]) === "pragma" && isTransactional && tokens.some(({ text }) => text === "foreign_keys")) {
    const problem = '"pragma foreign_keys" has no effect inside a transaction.';
    const advice =
      "Leave it out. A step that drops a table runs without foreign keys, and they are checked before its commit.";
    add("index-transaction", problem, advice);
  }
  for (const { kind, column, tokens: rest } of change?.actions ?? []) {
    if (kind !== "add column") continue;
    const refusal = `SQLite refuses to add "${change?.table}.${column}"`;
    const index = rest.findIndex((token) => keyword(token) === "default");
    if (hasKeywords(rest, "not", "null") && index === -1) {
      add("not-null", `${refusal}: a column that is NOT NULL needs a default.`, "Give it a default.");
    }
    if (index !== -1 && (rest[index + 1]?.text === "(" || keyword(rest[index + 1]).startsWith("current_"))) {
      const advice = "Add it as nullable, and fill it with Migration.batches.";
      add("volatile-default", `${refusal} with a default that is not constant.`, advice);
    }
    if (hasKeywords(rest, "unique") || hasKeywords(rest, "primary", "key")) {
      const advice = "Add the column, then create a unique index.";
      add("constraint-scan", `${refusal} with this constraint.`, advice);
    }
  }
}

const atFewWrites = "Run it at a time of few writes, and allow the rule.";

/** Adds the findings of a statement on an existing table of MariaDB (its manual, InnoDB Online DDL). */
function addMariadbFindings({ tokens, change }: LintedStatement, add: AddFinding): void {
  if (change === undefined) return;
  const { table, kind, actions } = change;
  const copies = (what: string): string => `${what} copies the table "${table}" while writes wait.`;
  const shadow = "Add a new column, copy the values with Migration.batches, and drop the old one later.";
  if (kind === "lock" || kind === "truncate") {
    add("table-lock", `Reads and writes of "${table}" wait.`, "Avoid it while the application runs.");
  }
  if (kind === "create index" && /^(?:fulltext|spatial)$/.test(keyword(tokens[1]))) {
    add("index-lock", `Writes to "${table}" wait until the index is built.`, atFewWrites);
  }
  // The server refuses `algorithm = instant` and `lock = none` if the change needs more.
  if (hasKeywords(tokens, "algorithm") && tokens.some(({ text }) => text === "instant" || text === "nocopy")) return;
  if (hasKeywords(tokens, "lock") && hasKeywords(tokens, "none")) return;
  for (const { kind: action, column, tokens: rest } of actions) {
    if (action === "change column") add("rewrite", copies(`Changing "${column}"`), shadow);
    if (action === "convert") add("rewrite", copies("Converting the character set"), shadow);
    if (action === "add index" && keyword(rest[0]) === "fulltext") {
      add("index-lock", `Writes to "${table}" wait until the index is built.`, atFewWrites);
    }
    if (
      action === "add column" &&
      hasKeywords(rest, "not", "null") &&
      !hasKeywords(rest, "default") &&
      !hasKeywords(rest, "auto_increment")
    ) {
      add("not-null", `Existing rows get 0 or an empty text in "${table}.${column}", without an error.`, nullableFirst);
    }
    if (action === "add column" && (hasKeywords(rest, "stored") || hasKeywords(rest, "persistent"))) {
      add("volatile-default", copies(`The generated column "${column}"`), "Use a virtual column.");
    }
    if (action === "add constraint" && hasKeywords(rest, "primary", "key")) {
      add("rewrite", copies("A new primary key"), atFewWrites);
    }
    if (action === "add constraint" && (hasKeywords(rest, "foreign", "key") || hasKeywords(rest, "check"))) {
      add("constraint-scan", copies("A new constraint"), atFewWrites);
    }
  }
}
