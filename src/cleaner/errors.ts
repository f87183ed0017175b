import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_CLEANER_PRODUCTION: {
    message: (): string =>
      "Cleaners delete data and are refused in production. Set FRAMEWORK_ENV to test or development where they may run.",
  },
  E_CLEANER_FAILED: {
    message: (names: readonly string[]): string =>
      `These cleaners failed, all others have run: ${names.join(", ")}. The cause holds their errors.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
