import { type Catalogue, catalogue, type LimmatError } from "../core/index.ts";

/** Something that is missing or wrong. */
export interface Problem {
  /** The key, or the path of an env file. */
  readonly key: string;
  /** What is wrong, continuing the key: `is not set (the mail server)`. Never holds the value. */
  readonly problem: string;
}

const entries = {
  E_CONFIGURATION: {
    message: (report: string): string => report,
  },
  E_CONFIGURATION_MISSING: {
    message: (key: string, description: string): string =>
      `${key} is not set (${description}). Set it in the process environment or in an env file.`,
  },
  E_CONFIGURATION_INVALID: {
    message: (key: string, problem: string): string => `${key} ${problem}.`,
  },
  E_CONFIGURATION_FILE: {
    message: (path: string, problem: string): string => `${path} ${problem}.`,
  },
};

/** The errors of this room. No message holds a value: it may be secret. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

/** Makes E_CONFIGURATION_INVALID, with what the report needs. */
export function invalidKey(key: string, problem: string): LimmatError & Problem {
  return Object.assign(errors.E_CONFIGURATION_INVALID(key, problem), { key, problem });
}

/** Makes E_CONFIGURATION_FILE, with what the report needs. */
export function invalidFile(path: string, problem: string): LimmatError & Problem {
  return Object.assign(errors.E_CONFIGURATION_FILE(path, problem), { key: path, problem });
}
