import { type Catalogue, catalogue } from "../core/index.ts";
import { isVersion } from "./upgrade/versions.ts";

const entries = {
  E_DATABASE_SWITCH: (reason: string): string => `No file was changed: ${reason}`,
  E_NEW_FOLDER: (path: string): string =>
    `"${path}" already exists and is not empty. Name a folder that does not exist yet.`,
  E_NEW_NAME: (name: string, isTaken: boolean): string =>
    isTaken
      ? `"${name}" is not a valid project name: the folder of a package has this name. Choose another name.`
      : `"${name}" is not a valid project name. Use at most 60 letters from a to z, digits and "-".`,
  E_NEW_WRITE: (path: string, reason: string): string =>
    `"${path}" was not created, because it cannot be written: ${reason}.`,
  E_UPGRADE_MANIFEST: "package.json is missing, or is not valid JSON. Repair it, and run the command again.",
  E_UPGRADE_RECORD: (path: string): string =>
    `${path}, the record of the template files, is damaged. Restore it from git, or delete it: then the template is not compared.`,
  E_UPGRADE_UNSAFE: (reason: string): string =>
    `No file was changed, because a change could not be undone: ${reason}. Commit your changes first, or add --force.`,
  E_UPGRADE_VERSION: (version: string, installed: string): string =>
    isVersion(version)
      ? `The project was written for limmat ${version}, which is newer than the installed ${installed}. Install ${version} or a later version.`
      : `"${version}" is not a version such as 0.2.0.`,
};

/** Errors of the commands `database`, `new` and `upgrade`. Those of the generators are in `project`. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
