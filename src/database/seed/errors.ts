import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_SEED_PRODUCTION: {
    message: (): string => "Seeds are refused in production. If they are meant to run there, add --force.",
  },
  E_SEED_UNKNOWN: {
    message: (name: string, known: readonly string[]): string =>
      `There is no seed "${name}". Known: ${known.join(", ") || "none"}.`,
  },
};

/** The errors of seeds. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
