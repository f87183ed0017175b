import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_CLEANER_PRODUCTION: {
    message: (): string =>
      "Cleaners delete data and do not run in production. Set FRAMEWORK_ENV to test or development to run them.",
  },
  E_CLEANER_FAILED: {
    message: (names: readonly string[]): string =>
      `These cleaners failed: ${names.join(", ")}. All others have run. The cause contains their errors.`,
  },
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
