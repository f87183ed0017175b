import { type Catalogue, catalogue } from "../../core/index.ts";

const list = (paths: readonly string[]): string => paths.map((path) => `\n  ${path}`).join("");

const entries = {
  E_GENERATE_NAME: {
    message: (what: string, name: string, problem: string): string => `"${name}" cannot be ${what}: ${problem}`,
  },
  E_GENERATE_FIELD: {
    message: (given: string, problem: string): string => `The field "${given}" cannot be generated: ${problem}`,
  },
  E_GENERATE_DATABASE: {
    message: (name: string, known: readonly string[], near: string | undefined): string =>
      `"${name}" is no database.${near === undefined ? "" : ` Did you mean "${near}"?`} Known are: ${known.join(", ")}.`,
  },
  E_GENERATE_EXISTS: {
    message: (paths: readonly string[]): string =>
      `Nothing was written, because these files exist already:${list(paths)}\nTake another name, or overwrite them with --force.`,
  },
  E_GENERATE_MISSING: {
    message: (path: string, hint: string): string => `Nothing was written, because "${path}" does not exist. ${hint}`,
  },
  E_GENERATE_STUB: {
    message: (stub: string, problem: string): string => `The stub "${stub}" cannot be rendered: ${problem}`,
  },
};

/** The errors of the generators. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
