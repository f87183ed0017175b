import { type Catalogue, catalogue, suggest } from "../core/index.ts";

const entries = {
  E_MIGRATION_NAME: {
    message: (name: string): string =>
      `"${name}" is not a valid name. Use at most 100 lower-case letters, digits, dots, dashes and underscores.`,
  },
  E_MIGRATION_NAMESPACE_TAKEN: {
    message: (namespace: string): string => `Two sets of migrations have the namespace "${namespace}".`,
  },
  E_MIGRATION_NAMESPACE_UNKNOWN: {
    message: (namespace: string, dependent: string, others: readonly string[]): string => {
      const [suggestion] = suggest(namespace, others);
      const hint = suggestion === undefined ? "" : `Did you mean "${suggestion}"? `;
      return `The migrations "${dependent}" must run after "${namespace}", which does not exist. ${hint}Correct the name in that migration, or add what creates "${namespace}": its migration to the list of the application, or its service to the service list.`;
    },
  },
  E_MIGRATION_CYCLE: {
    message: (namespaces: readonly string[]): string =>
      `Migrations depend on each other in a cycle: ${namespaces.join(" → ")}.`,
  },
  E_MIGRATION_STEP_TAKEN: {
    message: (namespace: string, step: string): string =>
      `Two steps of the migrations "${namespace}" have the name "${step}", by which the database records them. Rename the later one.`,
  },
  E_MIGRATION_PENDING: {
    message: (steps: readonly string[]): string =>
      `The database lacks ${steps.length === 1 ? "a migration step" : `${steps.length} migration steps`}: ${steps.join(", ")}. Run the command "migrate" first.`,
  },
};

/** Errors of the definition of migrations, and of a start without them. `run/errors.ts` has those of running them. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
