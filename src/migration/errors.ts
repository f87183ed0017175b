import { type Catalogue, catalogue, messageOf, suggest } from "../core/index.ts";

const entries = {
  E_MIGRATION_NAME: (name: string): string =>
    `"${name}" is not a valid name. Use at most 100 lower-case letters, digits, dots, dashes and underscores.`,
  E_MIGRATION_NAMESPACE_TAKEN: (namespace: string): string =>
    `Two sets of migrations have the namespace "${namespace}".`,
  E_MIGRATION_NAMESPACE_UNKNOWN: (namespace: string, dependent: string, others: readonly string[]): string => {
    const [suggestion] = suggest(namespace, others);
    const hint = suggestion === undefined ? "" : `Did you mean "${suggestion}"? `;
    return `The migrations "${dependent}" must run after "${namespace}", which does not exist. ${hint}Correct the name in that migration, or add what creates "${namespace}": its migration to the list of the application, or its service to the service list.`;
  },
  E_MIGRATION_CYCLE: (namespaces: readonly string[]): string =>
    `Migrations depend on each other in a cycle: ${namespaces.join(" → ")}.`,
  E_MIGRATION_STEP_TAKEN: (namespace: string, step: string): string =>
    `Two steps of the migrations "${namespace}" have the name "${step}", by which the database records them. Rename the later one.`,
  E_MIGRATION_PENDING: (steps: readonly string[]): string =>
    `The database lacks ${steps.length === 1 ? "a migration step" : `${steps.length} migration steps`}: ${steps.join(", ")}. Run the command "migrate" first.`,
  E_MIGRATION_EMPTY: (step: string): string =>
    `The migration step ${step} has no statements yet. Write them first: a step cannot be changed after it was applied.`,
  E_MIGRATION_FAILED: (step: string, cause: unknown): string =>
    `The migration step ${step} failed: ${messageOf(cause)}`,
  E_MIGRATION_HALF_DONE: (step: string, detail = ""): string =>
    `The migration step ${step} was started and not finished, and this database cannot roll it back.${detail === "" ? "" : ` ${detail}`} Check its tables, then run "migrate resolve" with its namespace and name and --applied (the step is complete), --resume (go on with the statement that was interrupted) or --retry (the step is fully undone).`,
  E_MIGRATION_STOPPED: (step: string): string =>
    `The migration stopped before the end of the step ${step}. Run the command "migrate" again: it goes on where it stopped.`,
  E_MIGRATION_BATCH_KEY: (table: string, type: string): string =>
    `The batches of the table "${table}" need a key of text, integers or UUIDs without null, but a value is ${type}. Name another column in "key".`,
  E_MIGRATION_IN_TRANSACTION: (step: string): string =>
    `The migration step ${step} cannot be part of another transaction: it runs outside of one, or drops a table of SQLite that others refer to. Run it outside of "database.transaction".`,
  E_MIGRATION_FOREIGN_KEY: (step: string, reference: string, count: number): string =>
    `The migration step ${step} would leave ${count === 1 ? "a row" : `${count} rows`} of ${reference} that ${count === 1 ? "refers" : "refer"} to a missing row. Nothing was changed. Copy all rows of a table that you create again, and change or delete the rows that refer to others.`,
  E_MIGRATION_VALUES: (step: string, problem: string, count: number, example: string): string =>
    `The migration step ${step} would lose or alter values, and was refused before its change: in ${count === 1 ? "one row" : `${count} rows`}, ${problem}. Example: ${example}. Change these rows in a step of their own before it, and run "migrate" again.`,
  E_MIGRATION_REBUILD: (step: string, table: string, reason: string): string =>
    `The migration step ${step} cannot change the table "${table}": ${reason}.`,
  E_MIGRATION_CHANGED: (differences: readonly string[], namespaces: readonly string[]): string =>
    `Applied migration steps differ from those of this application: ${differences.join("; ")}. Restore them as they were, and write each change as a new step. In development, "migrate fresh" starts over. If the database is right as it is, ${namespaces.map((namespace) => `"migrate resolve ${namespace} --accept"`).join(" and ")} records the steps as they are now.`,
  E_MIGRATION_FRESH: (environment: string): string =>
    `"migrate fresh" deletes all tables. It runs in development and test only, and FRAMEWORK_ENV is "${environment}".`,
  E_MIGRATION_FRESH_NAME: (name: string, typedName: string | undefined): string =>
    `"migrate fresh" deletes all tables of the database "${name}"${typedName === undefined ? "" : `, and the typed name is "${typedName}"`}. To do that, add its name: migrate fresh ${name}`,
  E_MIGRATION_NO_SEED:
    'There is no seed service. Create one with "Seed.service", and add it to the application\'s service list.',
  E_MIGRATION_DRIFT: (count: number): string =>
    `The database differs from the described tables in ${count === 1 ? "one place" : `${count} places`}. Write a migration step with the statements of "migrate diff".`,
  E_MIGRATION_FILE_EXISTS: (path: string): string =>
    `The file ${path} exists already. Choose another name for the migration.`,
  E_MIGRATION_NO_TABLES:
    "No tables are described. Name them where the migration service is created, in service/service.ts of a project: Migration.service({ database, migrations, tables: () => [issues] }).",
  E_MIGRATION_LINT: (count: number): string =>
    `The lint found ${count === 1 ? "a dangerous statement" : `${count} dangerous statements`}. Change the step, or name the rule in its option "allow".`,
  E_MIGRATION_NOT_HALF_DONE: (step: string): string =>
    `The migration step ${step} is not half-done. There is nothing to resolve.`,
  E_MIGRATION_LOCKED: (timeoutMs: number): string =>
    `Another process is migrating this database and did not finish within ${timeoutMs} ms.`,
  E_MIGRATION_NO_DOWN: (step: string, isDefined: boolean): string =>
    isDefined
      ? `The migration step ${step} has no "down" SQL and cannot be reverted.`
      : `The migration step ${step} cannot be reverted, because this application does not define it. Restore its file and its entry in the list of migrations, or in development start over with migrate fresh.`,
  E_MIGRATION_PRODUCTION: "Reverting migrations may delete data. In production it requires --force.",
  E_SEED_PRODUCTION: "Seeds do not run in production. Add --force to run them anyway.",
  E_SEED_UNKNOWN: (name: string, seedNames: readonly string[]): string =>
    `There is no seed "${name}". Known seeds: ${seedNames.join(", ") || "none"}.`,
};

/** Errors of migrations and seeds. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
