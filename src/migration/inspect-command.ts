import { Command } from "../core/index.ts";
import { errors as definitionErrors } from "./errors.ts";
import { errors } from "./run/errors.ts";
import { lintPending, pendingSteps, readDrift, readMigrationSource } from "./inspection.ts";
import { findingLines } from "./lint/lint.ts";
import type { Flags, MigrateContext } from "./migrate-command.ts";
import { stepLabel } from "./status.ts";
import { scriptOf } from "./step.ts";
import { writeMigration } from "./write-migration.ts";

/** Prints the SQL of the pending steps, with the findings of the lint as comments. Throws E_MIGRATION_LINT with `--check`. */
export async function printPendingSql(
  { database, migrations, tables, output }: MigrateContext,
  flags: Flags,
): Promise<Command.Done> {
  const dialect = database.dialect();
  const steps = (await pendingSteps(database, migrations)).map(({ namespace, number, name, step }) => ({
    namespace,
    number,
    name,
    sql: scriptOf(step.up, dialect),
  }));
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
}

/**
 * Writes the migration that closes the differences to the described tables.
 *
 * @throws E_MIGRATION_NO_TABLES, E_MIGRATION_NAME, E_MIGRATION_FILE_EXISTS
 */
export async function writeDiff({ database, tables, output }: MigrateContext, name: string): Promise<Command.Done> {
  const described = tables();
  if (described.length === 0) throw errors.E_MIGRATION_NO_TABLES();
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw definitionErrors.E_MIGRATION_NAME(name);
  const source = await readMigrationSource(database, described, name);
  if (source === undefined) output.print("The database has the described tables.");
  else for (const line of writeMigration(name, source)) output.print(line);
  return Command.done;
}

/** Prints the SQL that closes the differences to the described tables. Throws E_MIGRATION_DRIFT with `--check`. */
export async function printDrift({ database, tables, output }: MigrateContext, flags: Flags): Promise<Command.Done> {
  const described = tables();
  if (described.length === 0) throw errors.E_MIGRATION_NO_TABLES();
  const drift = await readDrift(database, described);
  if (flags.has("json")) output.print(JSON.stringify({ drift }));
  else if (drift.length === 0) output.print("-- The database has the described tables.");
  else {
    for (const { table, problem, statements } of drift) {
      output.print(`-- ${table}: ${problem}`);
      for (const statement of statements) output.print(statement.startsWith("--") ? statement : `${statement};`);
    }
  }
  if (flags.has("check") && drift.length > 0) throw errors.E_MIGRATION_DRIFT(drift.length);
  return Command.done;
}
