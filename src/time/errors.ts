import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_DURATION_INVALID: {
    message: (text: string): string =>
      `${JSON.stringify(text)} is no duration. Write numbers with units from large to small, such as "500ms", "5m" or "1h30m"; the units are w, d, h, m, s and ms.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
