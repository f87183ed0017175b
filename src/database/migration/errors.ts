import { type Catalogue, catalogue } from "../../core/index.ts";

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const entries = {
  E_MIGRATION_NAME: {
    message: (name: string): string =>
      `"${name}" cannot name migrations. Use lower-case letters, digits, dots, dashes and underscores, at most 100.`,
  },
  E_MIGRATION_NAMESPACE_TAKEN: {
    message: (namespace: string): string => `Two sets of migrations have the namespace "${namespace}".`,
  },
  E_MIGRATION_NAMESPACE_UNKNOWN: {
    message: (namespace: string, by: string): string =>
      `The migrations "${by}" are to run after "${namespace}", which there is not. Is its service in the service list?`,
  },
  E_MIGRATION_CYCLE: {
    message: (namespaces: readonly string[]): string => `Migrations wait for each other: ${namespaces.join(" → ")}.`,
  },
  E_MIGRATION_EMPTY: {
    message: (step: string): string =>
      `The migration step ${step} has no statements yet. Once it was run it could no longer be changed: write them first.`,
  },
  E_MIGRATION_FAILED: {
    message: (step: string, cause: unknown): string => `The migration step ${step} failed: ${reason(cause)}`,
  },
  E_MIGRATION_HALF_DONE: {
    message: (step: string): string =>
      `The migration step ${step} was begun and not finished, and this database cannot take it back. Look at its tables, then run "migrate resolve" with its namespace and number and --applied (it is complete now) or --retry (nothing of it is left).`,
  },
  E_MIGRATION_NOT_HALF_DONE: {
    message: (step: string): string => `The migration step ${step} is not half-done: there is nothing to resolve.`,
  },
  E_MIGRATION_LOCKED: {
    message: (milliseconds: number): string =>
      `Another process is migrating this database and did not end within ${milliseconds} ms.`,
  },
  E_MIGRATION_PENDING: {
    message: (steps: readonly string[]): string =>
      `The database lacks ${steps.length === 1 ? "a migration step" : `${steps.length} migration steps`}: ${steps.join(", ")}. Run the command "migrate" first.`,
  },
  E_MIGRATION_NO_DOWN: {
    message: (step: string): string => `The migration step ${step} does not say how it is taken back.`,
  },
  E_MIGRATION_PRODUCTION: {
    message: (): string => "Taking migrations back may delete data. In production it needs --force.",
  },
};

/** The errors of migrations. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
