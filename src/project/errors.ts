import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_GENERATE_NAME: (role: string, name: string, problem: string): string => `"${name}" cannot be ${role}: ${problem}`,
  E_GENERATE_FIELD: (specification: string, problem: string): string =>
    `The field "${specification}" cannot be generated: ${problem}`,
  E_GENERATE_DATABASE: (name: string, databases: readonly string[], suggestion: string | undefined): string => {
    const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
    return `"${name}" is not a supported database.${hint} Choose one of: ${databases.join(", ")}.`;
  },
  E_GENERATE_DATABASE_AMBIGUOUS: (path: string, databases: readonly string[]): string =>
    `${path} uses several databases: ${databases.join(", ")}. Write one of them in front of the model.`,
  E_GENERATE_EXISTS: (paths: readonly string[], hint: string): string =>
    `No file was written, because these files already exist:${paths.map((path) => `\n  ${path}`).join("")}\n${hint}, or overwrite the files with --force.`,
  E_GENERATE_MISSING: (path: string, hint: string): string =>
    `No file was written, because "${path}" does not exist. ${hint}`,
  E_GENERATE_POLICY: (path: string): string =>
    `No file was written, because ${path} has the form of an earlier version. Commit your changes, delete app/domain/acting-user.ts, and generate the models with --owner or --members again with --force, parents first.`,
  E_GENERATE_UNDO: (reason: string, paths: readonly string[]): string => {
    const list = paths.map((path) => `\n  ${path}`).join("");
    const hint = paths.length === 0 ? "" : "\nUndo your changes of them first, or remove the generated code by hand.";
    return `Nothing was undone: ${reason}${paths.length === 0 ? "." : `:${list}`}${hint}`;
  },
  E_GENERATE_STUB: (stub: string, problem: string): string => `The stub "${stub}" cannot be rendered: ${problem}`,
};

/** Errors of the generators. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
