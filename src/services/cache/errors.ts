import { ConfigurationInternals } from "../../config/index.ts";
import { type Catalogue, catalogue, messageOf, type Service } from "../../core/index.ts";

const entries = {
  E_CACHE_KEY: (problem: string): string =>
    `A cache key must have 1 to 255 characters and no control characters. This one ${problem}.`,
  E_CACHE_VALUE: (problem: string): string => `The cache cannot store this value: ${problem}.`,
  E_CACHE_OPTION: (name: string, value: unknown, allowed: string): string =>
    `The cache option "${name}" must be ${allowed}. Given: ${String(value)}.`,
  E_CACHE_NUMBER: (key: string): string =>
    `The value of "${key}" is not an integer and cannot be incremented. Use another key, or delete this one first.`,
  E_CACHE_NAME: (name: string): string =>
    `"${name}" is not a valid cache name. Use at most 40 lower-case letters, digits and underscores, beginning with a letter.`,
  E_CACHE_NOT_STARTED: ({ name, declaration }: Service.Service): string =>
    `The cache "${name}"${ConfigurationInternals.projectLine(declaration)} is not started. Add it to the application's service list or to the command's dependencies.`,
  E_CACHE_UNAVAILABLE: {
    status: 503,
    message: (server: string, cause: unknown): string =>
      `The cache at ${server} does not respond: ${messageOf(cause)}. Check that it runs, and its address.`,
  },
  E_CACHE_DRIVER_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
};

/** Error catalogue of the cache. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
