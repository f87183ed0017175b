import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_NEW_FOLDER: {
    message: (path: string): string =>
      `"${path}" is there already, and not empty. Name a folder that does not exist yet.`,
  },
  E_NEW_NAME: {
    message: (name: string): string =>
      `"${name}" cannot be the name of a project. Take letters, digits and "-", at most 60.`,
  },
};

/** The errors of making a project. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
