import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_DURATION_INVALID: (text: string): string =>
    `${JSON.stringify(text)} is not a duration. Write numbers with units from large to small, such as "500ms", "5m" or "1h30m". The units are w, d, h, m, s and ms.`,
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
