import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_SEED_PRODUCTION: {
    message: (): string => "Seeds do not run in production. Add --force to run them anyway.",
  },
  E_SEED_UNKNOWN: {
    message: (name: string, seedNames: readonly string[]): string =>
      `There is no seed "${name}". Known seeds: ${seedNames.join(", ") || "none"}.`,
  },
};

/** Errors of seeds. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
