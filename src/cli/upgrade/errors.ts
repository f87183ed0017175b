import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_UPGRADE_RECORD: {
    message: (path: string): string =>
      `${path}, the record of the template files, is damaged. Restore it from git, or delete it: then the template is not compared.`,
  },
  E_UPGRADE_UNSAFE: {
    message: (reason: string): string =>
      `No file was changed, because a change could not be undone: ${reason}. Commit your changes first, or add --force.`,
  },
};

/** Errors of the command `upgrade`. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
