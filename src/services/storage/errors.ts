import { type Catalogue, catalogue, messageOf } from "../../core/index.ts";

const entries = {
  E_STORAGE_NOT_FOUND: {
    status: 404,
    message: (id: string): string => `There is no stored file ${JSON.stringify(id.slice(0, 36))}.`,
  },
  E_STORAGE_ID: (id: string, problem: string): string =>
    `A file cannot be stored under the id ${JSON.stringify(id.slice(0, 36))}: ${problem}. Omit the id to generate one.`,
  E_STORAGE_NAME: (name: string): string =>
    `"${name}" is not a valid storage name. Use at most 40 lower-case letters, digits and underscores, beginning with a letter.`,
  E_STORAGE_RANGE: (start: number, length: number | undefined): string =>
    `A file cannot be read from ${start}${length === undefined ? "" : ` with a length of ${length} bytes`}: both must be integers of 0 or more.`,
  E_STORAGE_DIRECTORY: (directory: string, cause: unknown): string =>
    `Files cannot be stored in ${directory}: ${messageOf(cause)}. Create the directory, and give the user of the process write permission.`,
};

/** Error catalogue of the storage. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
