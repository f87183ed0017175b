import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_LAYOUT: {
    message: (count: number): string =>
      count === 1 ? "An import breaks a rule of the layout." : `${count} imports break rules of the layout.`,
  },
};

/** The errors of checking the layout. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
