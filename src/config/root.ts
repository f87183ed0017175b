import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const versionControl = [".git", ".hg", ".svn", ".bzr", "_darcs"];

/** The nearest folder, from `start` upwards, that is under version control; otherwise `start`. */
export function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (versionControl.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return start;
  }
}
