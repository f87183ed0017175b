import { type Catalogue, catalogue } from "../../core/index.ts";

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const entries = {
  E_STORAGE_NOT_FOUND: {
    status: 404,
    message: (id: string): string => `There is no stored file ${JSON.stringify(id.slice(0, 36))}.`,
  },
  E_STORAGE_ID: {
    message: (id: string, problem: string): string =>
      `A file cannot be stored under the id ${JSON.stringify(id.slice(0, 36))}: ${problem}. Leave it out, and a new one is made.`,
  },
  E_STORAGE_NAME: {
    message: (name: string): string =>
      `"${name}" cannot name a storage. Use lower-case letters, digits and underscores, beginning with a letter, at most 40.`,
  },
  E_STORAGE_RANGE: {
    message: (start: number, length: number | undefined): string =>
      `A part of a file cannot begin at ${start}${length === undefined ? "" : ` and have ${length} bytes`}: both are whole numbers, 0 or more.`,
  },
  E_STORAGE_DIRECTORY: {
    message: (directory: string, cause: unknown): string =>
      `Files cannot be stored in ${directory}: ${reason(cause)}. Make the directory, and let the user that the process runs as write to it.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
