import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_NEW_FOLDER: {
    message: (path: string): string =>
      `"${path}" already exists and is not empty. Name a folder that does not exist yet.`,
  },
  E_NEW_NAME: {
    message: (name: string, isTaken: boolean): string =>
      isTaken
        ? `"${name}" is not a valid project name: the folder of a package has this name. Choose another name.`
        : `"${name}" is not a valid project name. Use at most 60 letters from a to z, digits and "-".`,
  },
  E_NEW_WRITE: {
    message: (path: string, reason: string): string =>
      `"${path}" was not created, because it cannot be written: ${reason}.`,
  },
};

/** Errors of creating a project. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
