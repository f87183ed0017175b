import type { DialectRules, LintRule, RuleFinding } from "./rule.ts";
import { hasKeywords, keyword } from "../sql-tokens.ts";

const atFewWrites = "Run it at a time of few writes, and allow the rule.";

/** Returns the findings of a statement on an existing table of MariaDB (its manual, InnoDB Online DDL). */
export const mariadbFindings: DialectRules = ({ tokens, change }) => {
  const findings: RuleFinding[] = [];
  const add = (rule: LintRule, problem: string, advice: string): void => void findings.push({ rule, problem, advice });
  if (change === undefined) return findings;
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
  if (hasKeywords(tokens, "algorithm") && tokens.some(({ text }) => text === "instant" || text === "nocopy"))
    return findings;
  if (hasKeywords(tokens, "lock") && hasKeywords(tokens, "none")) return findings;
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
      const problem = `Existing rows get 0 or an empty text in "${table}.${column}", without an error.`;
      add(
        "not-null",
        problem,
        "Give it a default, or add it as nullable, fill it with Migration.batches, and set NOT NULL later.",
      );
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
  return findings;
};
