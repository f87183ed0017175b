import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_CACHE_KEY: {
    message: (problem: string): string =>
      `A key of a cache must be 1 to 255 characters without control characters. This one ${problem}.`,
  },
  E_CACHE_VALUE: { message: (problem: string): string => `A cache cannot keep this value: ${problem}.` },
  E_CACHE_OPTION: {
    message: (name: string, given: unknown, allowed: string): string =>
      `"${name}" of a cache must be ${allowed}. Given: ${String(given)}.`,
  },
  E_CACHE_NUMBER: {
    message: (key: string): string =>
      `The value of "${key}" is not a whole number, so nothing can be added. Count under another key, or delete this one first.`,
  },
  E_CACHE_NAME: {
    message: (name: string): string =>
      `"${name}" cannot name a cache. Take lower-case letters, digits and underscores, a letter first, at most 40.`,
  },
  E_CACHE_NOT_STARTED: {
    message: (name: string): string =>
      `The cache "${name}" is not started. Is it in the application's service list, or in the command's dependencies?`,
  },
  E_CACHE_UNAVAILABLE: {
    status: 503,
    message: (where: string, cause: unknown): string =>
      `The cache at ${where} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
  },
  E_CACHE_DRIVER_MISSING: {
    message: (name: string, version: string): string =>
      `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
