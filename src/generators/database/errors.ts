import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_DATABASE_SWITCH: {
    message: (reason: string): string => `No file was changed: ${reason}`,
  },
};

/** Errors of the command `database`. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
