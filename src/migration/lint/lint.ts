import type { Dialect } from "../../database/index.ts";
import { type NumberedStep, statementsOf, type Step, stepLabel } from "../step.ts";
import { type RuleFinding, statementFindings } from "./rules.ts";
import { parseStatements, type SqlStatement } from "../sql-tokens.ts";
import { tableChangeOf } from "./table-change.ts";

/** Dangerous statement of a step. */
export interface LintFinding extends RuleFinding {
  /** Label of the step: namespace, number and name. */
  readonly step: string;
  /** The statement, on one line. */
  readonly statement: string;
}

/** State of the database before the linted steps. */
export interface LintContext {
  readonly dialect: Dialect;
  /** Tables that exist before the steps run. Changes of new tables are harmless: no one uses them yet. */
  readonly existingTables: ReadonlySet<string>;
  /** Columns of the indexes that exist, by table. */
  readonly existingIndexes?: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Columns that the described tables of the application have: `issues.title`. */
  readonly describedColumns?: ReadonlySet<string>;
}

interface LintedStep {
  readonly step: Step;
  readonly label: string;
  readonly texts: readonly string[];
  readonly isTransactional: boolean;
  readonly statements: readonly SqlStatement[];
  readonly allowed: ReadonlySet<string>;
}

/** Returns the dangerous statements of steps that run one after the other. */
export function lintSteps(steps: readonly NumberedStep[], context: LintContext): readonly LintFinding[] {
  const { dialect, describedColumns } = context;
  const linted = steps.map((numbered) => toLintedStep(numbered, dialect));
  const newTables = new Set<string>();
  const findings: LintFinding[] = [];
  for (const { label, isTransactional, statements, allowed } of linted) {
    const add = (statement: SqlStatement, finding: RuleFinding): void => {
      const text = statement.text
        .replace(/--[^\n]*/g, " ")
        .replace(/\s+/g, " ")
        .trim();
      if (!allowed.has(finding.rule)) findings.push({ ...finding, step: label, statement: text });
    };
    for (const statement of statements) {
      const change = tableChangeOf(statement.tokens);
      if (change?.kind === "create table" && !context.existingTables.has(change.table)) newTables.add(change.table);
      if (change !== undefined && newTables.has(change.table)) continue;
      for (const finding of statementFindings({ tokens: statement.tokens, change, isTransactional }, dialect.name)) {
        add(statement, finding);
      }
      for (const { kind, column } of change?.actions ?? []) {
        const rule = kind === "drop column" ? "drop-column" : kind === "rename column" ? "rename-column" : undefined;
        if (rule === undefined || describedColumns?.has(`${change?.table}.${column}`) !== true) continue;
        const problem = `The described table "${change?.table}" still has the column "${column}".`;
        add(statement, { rule, problem, advice: "Remove it from the description first." });
      }
    }
  }
  return [...findings, ...foreignKeyFindings(linted, context), ...textFindings(linted, dialect)];
}

function toLintedStep({ step, ...numbered }: NumberedStep, dialect: Dialect): LintedStep {
  const texts = step.batches === undefined ? statementsOf(step.up, dialect) : [];
  return {
    step,
    label: stepLabel(numbered),
    texts,
    isTransactional: step.isTransactional && dialect.hasTransactionalDdl,
    statements: texts.flatMap((text) => parseStatements(text, dialect.name)),
    allowed: new Set([...step.allow, ...texts.flatMap(allowedInComments)]),
  };
}

/** Returns the rules that comments name: `-- lint: allow drop-column, not-null`. */
function allowedInComments(text: string): readonly string[] {
  return [...text.matchAll(/(?:--|\/\*)\s*lint:\s*allow\s+([a-z-]+(?:\s*,\s*[a-z-]+)*)/g)].flatMap(([, names = ""]) =>
    names.split(/\s*,\s*/),
  );
}

/** Returns the foreign keys without an index that starts with their columns. MariaDB creates these itself. */
function foreignKeyFindings(
  steps: readonly LintedStep[],
  { dialect, existingIndexes }: LintContext,
): readonly LintFinding[] {
  if (dialect.name === "mariadb") return [];
  const changes = steps.flatMap((step) =>
    step.statements.flatMap((statement) => {
      const change = tableChangeOf(statement.tokens);
      return change === undefined ? [] : [{ step, statement, change }];
    }),
  );
  const isIndexed = (name: string, columns: readonly string[]): boolean => {
    const created = changes.filter(({ change }) => change.table === name).flatMap(({ change }) => change.indexes);
    return [...(existingIndexes?.get(name) ?? []), ...created].some((indexed) =>
      columns.every((column) => indexed.slice(0, columns.length).includes(column)),
    );
  };
  return changes.flatMap(({ step, statement, change: { table, foreignKeys } }) =>
    foreignKeys
      .filter((columns) => !isIndexed(table, columns) && !step.allowed.has("foreign-key-index"))
      .map((columns) => ({
        rule: "foreign-key-index" as const,
        problem: `The foreign key "${table}.${columns.join(", ")}" has no index: deleting a referenced row reads the whole table.`,
        advice: `Create an index on ${table} (${columns.join(", ")}).`,
        step: step.label,
        statement: statement.text.replace(/\s+/g, " "),
      })),
  );
}

/** Returns the steps whose texts MariaDB can leave half-done without the number of the interrupted statement. */
function textFindings(steps: readonly LintedStep[], dialect: Dialect): readonly LintFinding[] {
  if (dialect.hasTransactionalDdl) return [];
  const linted = steps.filter(({ step, allowed }) => step.isTransactional && !allowed.has("several-statements"));
  return linted.flatMap(({ label, texts }) =>
    texts
      .filter((text) => parseStatements(text, dialect.name).length > 1)
      .map((text) => ({
        rule: "several-statements" as const,
        problem: "MariaDB cannot roll back table changes: an interruption leaves some of these statements applied.",
        advice: "Write one statement per text of a list, so that the interrupted one is known, or one per step.",
        step: label,
        statement: text.replace(/\s+/g, " ").trim(),
      })),
  );
}

/** Returns the lines that show a finding, without a prefix. */
export function findingLines({ rule, problem, advice, statement }: LintFinding): readonly string[] {
  const short = statement.length > 100 ? `${statement.slice(0, 99)}…` : statement;
  return [`${rule}: ${problem}`, `  ${short}`, `  ${advice}`];
}
