import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_LAYOUT: {
    message: (count: number): string =>
      count === 1 ? "An import breaks a layout rule." : `${count} imports break layout rules.`,
  },
};

/** Errors of checking the layout. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
