import { type Catalogue, catalogue, messageOf } from "../../core/index.ts";

const entries = {
  E_MIGRATION_NAME: {
    message: (name: string): string =>
      `"${name}" is not a valid name. Use at most 100 lower-case letters, digits, dots, dashes and underscores.`,
  },
  E_MIGRATION_NAMESPACE_TAKEN: {
    message: (namespace: string): string => `Two sets of migrations have the namespace "${namespace}".`,
  },
  E_MIGRATION_NAMESPACE_UNKNOWN: {
    message: (namespace: string, dependent: string): string =>
      `The migrations "${dependent}" must run after "${namespace}", which does not exist. Add its service to the service list.`,
  },
  E_MIGRATION_CYCLE: {
    message: (namespaces: readonly string[]): string =>
      `Migrations depend on each other in a cycle: ${namespaces.join(" → ")}.`,
  },
  E_MIGRATION_EMPTY: {
    message: (step: string): string =>
      `The migration step ${step} has no statements yet. Write them first: a step cannot be changed after it was applied.`,
  },
  E_MIGRATION_FAILED: {
    message: (step: string, cause: unknown): string => `The migration step ${step} failed: ${messageOf(cause)}`,
  },
  E_MIGRATION_HALF_DONE: {
    message: (step: string): string =>
      `The migration step ${step} was started and not finished, and this database cannot roll it back. Check its tables, then run "migrate resolve" with its namespace and number and --applied (the step is complete) or --retry (the step is fully undone).`,
  },
  E_MIGRATION_NOT_HALF_DONE: {
    message: (step: string): string => `The migration step ${step} is not half-done. There is nothing to resolve.`,
  },
  E_MIGRATION_LOCKED: {
    message: (timeoutMs: number): string =>
      `Another process is migrating this database and did not finish within ${timeoutMs} ms.`,
  },
  E_MIGRATION_PENDING: {
    message: (steps: readonly string[]): string =>
      `The database lacks ${steps.length === 1 ? "a migration step" : `${steps.length} migration steps`}: ${steps.join(", ")}. Run the command "migrate" first.`,
  },
  E_MIGRATION_NO_DOWN: {
    message: (step: string): string => `The migration step ${step} has no "down" SQL and cannot be reverted.`,
  },
  E_MIGRATION_PRODUCTION: {
    message: (): string => "Reverting migrations may delete data. In production it requires --force.",
  },
};

/** Errors of migrations. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
