import type { DialectName } from "../../database/index.ts";
import { mariadbFindings } from "./mariadb-rules.ts";
import { postgresqlFindings } from "./postgresql-rules.ts";
import type { DialectRules, LintedStatement, LintRule, RuleFinding } from "./rule.ts";
import { sqliteFindings } from "./sqlite-rules.ts";

const dialectRules: Readonly<Record<DialectName, DialectRules>> = {
  sqlite: sqliteFindings,
  postgresql: postgresqlFindings,
  mariadb: mariadbFindings,
};

/** Returns the findings of a statement that changes an existing table, by the rules of a database. */
export function statementFindings(statement: LintedStatement, dialect: DialectName): readonly RuleFinding[] {
  return [...commonFindings(statement), ...dialectRules[dialect](statement)];
}

const twoDeployments = "Deploy code that does not use it first, and remove it with a later deployment.";

function commonFindings({ tokens, change }: LintedStatement): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  const add = (rule: LintRule, problem: string, advice: string): void => void findings.push({ rule, problem, advice });
  if (change === undefined) return findings;
  const { table } = change;
  if (change.kind === "drop table") {
    add("drop-table", `The running application may use the table "${table}", and its rows are lost.`, twoDeployments);
  }
  if (change.kind === "rename table") {
    const advice =
      "Create the new table, write to both, copy the rows with Migration.batches, and drop the old one later.";
    add("rename-table", `The running application knows the table "${table}" by this name only.`, advice);
  }
  for (const action of change.actions) {
    if (action.kind === "drop column") {
      add("drop-column", `The running application may read the column "${table}.${action.column}".`, twoDeployments);
    }
    if (action.kind === "rename column") {
      const advice =
        "Add the new column, write to both, copy the values with Migration.batches, and drop the old one later.";
      add("rename-column", `The running application knows "${table}.${action.column}" by this name only.`, advice);
    }
  }
  if ((change.kind === "update" || change.kind === "delete") && !tokens.some(({ text }) => text === "where")) {
    const advice = "Use Migration.batches, which locks few rows at a time and goes on after an interruption.";
    add(
      "mass-change",
      `One statement ${change.kind === "update" ? "changes" : "deletes"} and locks all rows of "${table}".`,
      advice,
    );
  }
  return findings;
}
