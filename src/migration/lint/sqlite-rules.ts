import type { DialectRules, LintRule, RuleFinding } from "./rule.ts";
import { hasKeywords, keyword } from "../sql-tokens.ts";

/** Returns the findings of a statement on an existing table of SQLite (its manual, ALTER TABLE and foreign keys). */
export const sqliteFindings: DialectRules = ({ tokens, change, isTransactional }) => {
  const findings: RuleFinding[] = [];
  const add = (rule: LintRule, problem: string, advice: string): void => void findings.push({ rule, problem, advice });
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
  if (change === undefined) return findings;
  for (const { kind, column, tokens: rest } of change.actions) {
    if (kind !== "add column") continue;
    const name = `"${change.table}.${column}"`;
    const index = rest.findIndex((token) => keyword(token) === "default");
    if (hasKeywords(rest, "not", "null") && index === -1) {
      const advice = "Give it a default.";
      add("not-null", `SQLite refuses to add ${name}: a column that is NOT NULL needs a default.`, advice);
    }
    if (index !== -1 && (rest[index + 1]?.text === "(" || keyword(rest[index + 1]).startsWith("current_"))) {
      const advice = "Add it as nullable, and fill it with Migration.batches.";
      add("volatile-default", `SQLite refuses to add ${name} with a default that is not constant.`, advice);
    }
    if (hasKeywords(rest, "unique") || hasKeywords(rest, "primary", "key")) {
      add(
        "constraint-scan",
        `SQLite refuses to add ${name} with this constraint.`,
        "Add the column, then create a unique index.",
      );
    }
  }
  return findings;
};
