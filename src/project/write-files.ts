import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random } from "../random/index.ts";
import { errors } from "./errors.ts";

/** A file to write. */
export interface GeneratedFile {
  /** Path from the root of the project, with `/` as separator. */
  readonly path: string;
  readonly text: string;
  /**
   * Action if the file already exists: `refuse` reports a conflict (default), `keep` leaves a file that several
   * generators share, `replace` writes a file that was read and edited.
   */
  readonly whenPresent?: "refuse" | "keep" | "replace";
}

/** The change of a file, or with `isDryRun` the change that would be made. */
export interface WrittenFile {
  readonly path: string;
  readonly change: "created" | "overwritten" | "edited" | "kept";
}

/** Options of `writeFiles`. */
export interface WriteOptions {
  readonly root: string;
  /** True to overwrite existing files. */
  readonly isForced?: boolean;
  /** True to write nothing. */
  readonly isDryRun?: boolean;
  /** Alternative to `--force` if files already exist. Default "Choose another name". */
  readonly existsHint?: string | undefined;
}

/** Returns the text of a file of a project; `undefined` if there is none. */
export function readProjectFile(root: string, path: string): string | undefined {
  const file = join(root, path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, "utf8") : undefined;
}

/**
 * Writes all files or none: a failure undoes the files that were already written.
 *
 * @throws E_GENERATE_EXISTS if files already exist.
 */
export function writeFiles(files: readonly GeneratedFile[], options: WriteOptions): readonly WrittenFile[] {
  const { root, isForced = false, isDryRun = false, existsHint = "Choose another name" } = options;
  const plan = files.map((file): [GeneratedFile, WrittenFile] => {
    const isPresent = existsSync(join(root, file.path));
    return [file, { path: file.path, change: isPresent ? changeOf(file) : "created" }];
  });
  const conflicts = plan.filter(([, { change }]) => change === "overwritten").map(([{ path }]) => path);
  if (conflicts.length > 0 && !isForced) throw errors.E_GENERATE_EXISTS(conflicts, existsHint);
  const changedFiles = plan.filter(([, { change }]) => change !== "kept").map(([file]) => file);
  if (!isDryRun) writeAllOrNone(changedFiles, root);
  return plan.map(([, writtenFile]) => writtenFile);
}

function changeOf({ whenPresent = "refuse" }: GeneratedFile): WrittenFile["change"] {
  if (whenPresent === "keep") return "kept";
  return whenPresent === "replace" ? "edited" : "overwritten";
}

/** Writes temporary files and renames them, so that the likely failures (full disk, no permission) change nothing. */
function writeAllOrNone(files: readonly GeneratedFile[], root: string): void {
  const undoSteps: (() => void)[] = [];
  const suffix = `.${Random.uuid()}.tmp`;
  try {
    for (const { path, text } of files) {
      const folder = join(root, dirname(path));
      const firstCreated = mkdirSync(folder, { recursive: true });
      if (firstCreated !== undefined) undoSteps.push(() => removeEmptyFolders(folder, dirname(firstCreated)));
      const temporary = join(root, path) + suffix;
      undoSteps.push(() => rmSync(temporary, { force: true }));
      writeFileSync(temporary, text, { flag: "wx" });
    }
    for (const { path } of files) {
      const target = join(root, path);
      const previous = existsSync(target) ? readFileSync(target) : undefined;
      renameSync(target + suffix, target);
      undoSteps.push(() => (previous === undefined ? rmSync(target) : writeFileSync(target, previous)));
    }
  } catch (error) {
    for (const undo of undoSteps.toReversed()) undo();
    throw error;
  }
}

/** Removes a folder and its parents, up to but not including `end`. */
function removeEmptyFolders(start: string, end: string): void {
  for (let folder = start; folder !== end && folder.length > end.length; folder = dirname(folder)) rmdirSync(folder);
}
