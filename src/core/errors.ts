import { messageOf } from "./error-text.ts";
import { type Catalogue, catalogue } from "./limmat-error.ts";

const entries = {
  E_SERVICE_CYCLE: (names: readonly string[]): string =>
    `Services depend on each other in a cycle: ${names.join(" → ")}. Remove one of these dependencies.`,
  E_SERVICE_NAME_TAKEN: (name: string): string =>
    `Two services have the name "${name}". Rename one of them, for example with its option "name".`,
  E_SERVICE_START: (name: string, cause: unknown): string =>
    `The service "${name}" could not start: ${messageOf(cause)}`,
  E_SERVICE_STOP: (name: string, cause: unknown): string => `The service "${name}" could not stop: ${messageOf(cause)}`,
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
