import type { AddFinding, LintedStatement } from "./rules.ts";
import { hasKeywords, keyword, type SqlToken } from "../sql-tokens.ts";

/** Advice for a new column that is NOT NULL. */
export const nullableFirst =
  "Give it a default, or add it as nullable, fill it with Migration.batches, and set NOT NULL later.";

// Functions whose value is the same in all rows of a statement; every other one is taken as volatile.
const stableFunctions = ["now", "current_timestamp", "current_date", "transaction_timestamp", "statement_timestamp"];

/** Adds the findings of a statement on an existing table of PostgreSQL (its manual, sections 13.3 and ALTER TABLE). */
export function addPostgresqlFindings({ tokens, change, isTransactional }: LintedStatement, add: AddFinding): void {
  const isConcurrent = hasKeywords(tokens, "concurrently");
  const first = keyword(tokens[0]);
  if (isConcurrent && isTransactional) {
    const problem = 'PostgreSQL refuses "concurrently" inside a transaction.';
    add("index-transaction", problem, "Give the step the option { transaction: false }.");
  }
  if (change?.kind === "create index" && !isConcurrent) {
    const advice = 'Write "create index concurrently" in a step with { transaction: false }.';
    add("index-lock", `Writes to "${change.table}" wait until the index is built.`, advice);
  }
  if ((first === "reindex" || (first === "drop" && keyword(tokens[1]) === "index")) && !isConcurrent) {
    const advice = 'Write "concurrently" in a step with { transaction: false }.';
    add("table-lock", "Reads and writes of the table wait until the statement has ended.", advice);
  }
  if (
    change?.kind === "lock" ||
    change?.kind === "truncate" ||
    first === "cluster" ||
    hasKeywords(tokens, "vacuum", "full")
  ) {
    const advice = "Avoid it while the application runs. Delete rows with Migration.batches.";
    add("table-lock", "Reads and writes of the table wait until the transaction has ended.", advice);
  }
  if (first === "set" && hasKeywords(tokens, "lock_timeout") && tokens.at(-1)?.text.replaceAll("'", "") === "0") {
    const problem = "A statement that waits for a lock makes all later ones on the table wait, too.";
    add("no-lock-timeout", problem, "Keep the limit of the database, or set the option lockTimeoutMs of the step.");
  }
  for (const { kind, column, tokens: rest } of change?.actions ?? []) {
    const table = `"${change?.table}"`;
    const name = `"${change?.table}.${column}"`;
    if (kind === "change column" && !isWidening(rest)) {
      const advice =
        "Add a column of the new type, write to both, copy the values with Migration.batches, and drop the old one later.";
      add("rewrite", `Changing the type of ${name} copies the table, and blocks reads and writes.`, advice);
    }
    if (kind === "set not null") {
      const advice =
        `Add "check (${column} is not null) not valid", run "validate constraint" in a later step, then "set not null", ` +
        "which needs no scan then. Allow the rule on that step.";
      add("not-null", `All rows are read while reads and writes of ${table} wait.`, advice);
    }
    if (kind === "add column") addColumnFindings(name, rest, add);
    if (kind === "add constraint") addConstraintFindings(table, rest, add);
  }
}

function addConstraintFindings(table: string, tokens: readonly SqlToken[], add: AddFinding): void {
  if (hasKeywords(tokens, "not", "valid") || hasKeywords(tokens, "using", "index")) return;
  if (hasKeywords(tokens, "unique") || hasKeywords(tokens, "primary", "key")) {
    const advice = 'Build the index with "create unique index concurrently", then add the constraint "using index".';
    add("index-lock", `Reads and writes of ${table} wait until the index is built.`, advice);
  } else {
    const advice = 'Add it with "not valid", and run "alter table … validate constraint" in a later step.';
    add("constraint-scan", `All rows of ${table} are read while writes wait.`, advice);
  }
}

/** Returns true for a type without a limit, which PostgreSQL sets without reading the rows of a text column. */
function isWidening(tokens: readonly { readonly text: string }[]): boolean {
  const type = tokens.findIndex(({ text }) => text === "type");
  return tokens[type + 1]?.text === "text" && !tokens.some(({ text }) => text === "using");
}

function addColumnFindings(name: string, tokens: readonly SqlToken[], add: AddFinding): void {
  const index = tokens.findIndex((token) => keyword(token) === "default");
  const expression = index === -1 ? [] : tokens.slice(index + 1);
  const isIdentity =
    hasKeywords(tokens, "identity") || tokens.some((token) => /^(?:small|big)?serial$/.test(keyword(token)));
  const isStored = hasKeywords(tokens, "stored");
  if (hasKeywords(tokens, "not", "null") && index === -1 && !isIdentity && !isStored) {
    add("not-null", `Adding ${name} fails if the table has rows.`, nullableFirst);
  }
  const call = expression.find(
    (token, position) =>
      token.kind === "word" &&
      expression[position + 1]?.text === "(" &&
      !stableFunctions.includes(token.text) &&
      !/^(?:check|references|constraint|varchar|numeric|char|timestamp)$/.test(token.text),
  );
  if (call !== undefined || isIdentity || isStored) {
    const cause = call === undefined ? "a generated value" : `the default "${call.text}()"`;
    const advice = "Add the column without it, then set the default, and fill the old rows with Migration.batches.";
    add("volatile-default", `Adding ${name} with ${cause} copies the table, and blocks reads and writes.`, advice);
  }
  if (hasKeywords(tokens, "references")) {
    const advice = 'Add the column first, and the foreign key with "not valid" in a step of its own.';
    add("constraint-scan", `The reference of ${name} locks both tables.`, advice);
  }
}
