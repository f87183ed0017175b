import { Command, type ContextOptions, type Service } from "../core/index.ts";
import type { Database } from "../database/index.ts";
import { describe, type RelatedTable, withJoinTables } from "../table/index.ts";
import { invalidIndexText } from "./apply.ts";
import { findInvalidIndexes } from "./concurrent-index.ts";
import { errors } from "./errors.ts";
import { findingLines, type LintFinding, lintSteps } from "./lint/lint.ts";
import type { MigrateRun } from "./migrate-command.ts";
import { compareWithDatabase } from "./runner.ts";
import { type Drift, findDrift } from "./schema/drift.ts";
import { readLiveSchema } from "./schema/live-schema.ts";
import { migrationSource, writeMigration } from "./schema/migration-source.ts";
import { isPending, type Migration, type NumberedStep, numberSteps, scriptOf, stepKey, stepLabel } from "./step.ts";

/** Returns the steps that were never started. */
export async function pendingSteps(
  database: Database,
  migrations: readonly Migration[],
  options: ContextOptions = {},
): Promise<readonly NumberedStep[]> {
  const { statuses } = await compareWithDatabase(database, migrations, options);
  const pending = new Set(statuses.filter(({ state }) => state === "pending").map(stepKey));
  return numberSteps(migrations).filter((numbered) => pending.has(stepKey(numbered)));
}

/** Returns the dangerous statements of the pending steps. */
export async function lintPending(
  database: Database,
  migrations: readonly Migration[],
  tables: readonly RelatedTable[],
  options: ContextOptions = {},
): Promise<readonly LintFinding[]> {
  const steps = await pendingSteps(database, migrations, options);
  if (steps.length === 0) return [];
  const live = await database.query(readLiveSchema, { ...options, readOnly: true });
  const described = withJoinTables(tables.map(describe));
  return lintSteps(steps, {
    dialect: database.dialect(options),
    existingTables: new Set(live.keys()),
    existingIndexes: new Map(
      [...live].map(([name, { indexes }]) => [
        name,
        indexes.filter(({ isComplete }) => isComplete).map(({ columns }) => columns),
      ]),
    ),
    describedColumns: new Set(
      described.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
    ),
  });
}

/** Returns the differences between the database and described tables. */
export async function readDrift(
  database: Database,
  tables: readonly RelatedTable[],
  options: ContextOptions = {},
): Promise<readonly Drift[]> {
  if (tables.length === 0) return [];
  const live = await database.query(readLiveSchema, { ...options, readOnly: true });
  return findDrift(tables.map(describe), live, database.dialect(options));
}

/** Returns the findings of `doctor`: dangerous pending steps, differences to the described tables, and invalid indexes. */
export async function schemaFindings(
  database: Database,
  migrations: readonly Migration[],
  tables: readonly RelatedTable[],
): Promise<readonly Service.Finding[]> {
  const warning = (message: string, advice?: string): Service.Finding => ({
    level: "warning",
    message,
    ...(advice === undefined ? {} : { advice }),
  });
  const findings = await lintPending(database, migrations, tables);
  const drift = await readDrift(database, tables);
  const invalid = await database.query(findInvalidIndexes);
  return [
    ...findings.map(({ step, rule, problem, advice }) => warning(`${step}: ${rule}: ${problem}`, advice)),
    ...drift.map(({ table, problem }) =>
      warning(`The table "${table}" differs from its description: ${problem}`, 'See "migrate diff".'),
    ),
    ...(invalid.length === 0 ? [] : [warning(invalidIndexText(invalid))]),
  ];
}

/** Prints the SQL of the pending steps, with the findings of the lint as comments. Throws E_MIGRATION_LINT with `--check`. */
export const printPendingSql: MigrateRun = async ({ database, migrations, tables, output }, flags) => {
  const dialect = database.dialect();
  const pending = await pendingSteps(database, migrations);
  const steps = pending.map(({ step, ...id }) => ({ ...id, sql: scriptOf(step.up, dialect) }));
  const findings = await lintPending(database, migrations, tables());
  if (flags.has("json")) output.print(JSON.stringify({ pending: steps, findings }));
  else {
    for (const step of steps) {
      const label = stepLabel(step);
      const comments = findings
        .filter((finding) => finding.step === label)
        .flatMap((finding) =>
          findingLines(finding).map((line, index) => `-- ${index === 0 ? "danger: " : ""}${line}\n`),
        );
      output.print(`-- ${label}\n${comments.join("")}${step.sql};\n`);
    }
  }
  if (flags.has("check") && findings.length > 0) throw errors.E_MIGRATION_LINT(findings.length);
  return Command.done;
};

/**
 * Prints the SQL that closes the differences to the described tables, or writes it to a migration. Returns `undefined` for
 * wrong arguments. Throws E_MIGRATION_NO_TABLES, E_MIGRATION_NAME, E_MIGRATION_FILE_EXISTS, and E_MIGRATION_PENDING: a
 * migration would repeat what the pending steps do; E_MIGRATION_DRIFT with `--check`.
 */
export const compareTables: MigrateRun = async ({ database, migrations, tables, output }, flags, [name]) => {
  if (flags.has("write") !== (name !== undefined) || (name !== undefined && flags.size > 1)) return undefined;
  const described = tables();
  if (described.length === 0) throw errors.E_MIGRATION_NO_TABLES();
  if (name === undefined) {
    printDrift(await readDrift(database, described), output, flags);
    return Command.done;
  }
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw errors.E_MIGRATION_NAME(name);
  const { statuses } = await compareWithDatabase(database, migrations);
  const pending = statuses.filter(isPending);
  if (pending.length > 0) throw errors.E_MIGRATION_PENDING(pending.map(stepLabel));
  const live = await database.query(readLiveSchema, { readOnly: true });
  const source = migrationSource(name, described.map(describe), live, database.dialect());
  if (source === undefined) output.print("The database has the described tables.");
  else for (const line of writeMigration(name, source)) output.print(line);
  return Command.done;
};

function printDrift(drift: readonly Drift[], output: Command.Output, flags: ReadonlySet<string>): void {
  if (flags.has("json")) output.print(JSON.stringify({ drift }));
  else if (drift.length === 0) output.print("-- The database has the described tables.");
  else {
    for (const { table, problem, statements } of drift) {
      output.print(`-- ${table}: ${problem}`);
      for (const statement of statements) output.print(statement.startsWith("--") ? statement : `${statement};`);
    }
  }
  if (flags.has("check") && drift.length > 0) throw errors.E_MIGRATION_DRIFT(drift.length);
}
