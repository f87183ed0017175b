import { type Catalogue, catalogue, type LimmatError } from "../core/index.ts";

/** A missing or invalid key, or an env file that cannot be read. */
export interface Problem {
  /** The key, or the path of an env file. */
  readonly key: string;
  /** Description that continues the key: `is not set (the mail server)`. Never contains the value. */
  readonly problem: string;
  /** True for a required key that is not set. */
  readonly isUnset?: boolean;
}

const entries = {
  E_CONFIGURATION: (report: string): string => report,
  E_CONFIGURATION_MISSING: (key: string, description: string): string =>
    `${key} is not set (${description}). Set it in the process environment or in an env file.`,
  E_CONFIGURATION_INVALID: (key: string, problem: string): string => `${key} ${problem}.`,
  E_CONFIGURATION_FILE: (path: string, problem: string): string => `${path} ${problem}.`,
};

/** Errors of this module. No message contains a value, which may be secret. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

/** Creates E_CONFIGURATION_INVALID with the properties of a `Problem`. */
export function invalidKey(key: string, problem: string): LimmatError & Problem {
  return Object.assign(errors.E_CONFIGURATION_INVALID(key, problem), { key, problem });
}

/** Creates E_CONFIGURATION_FILE with the properties of a `Problem`. */
export function invalidFile(path: string, problem: string): LimmatError & Problem {
  return Object.assign(errors.E_CONFIGURATION_FILE(path, problem), { key: path, problem });
}
