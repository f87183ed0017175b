import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random } from "../../random/index.ts";
import { errors } from "./errors.ts";

/** A file to write, by its path from the root of the project, with `/` between the parts. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
  /**
   * What to do when the file is there already: `refuse`, so that nothing is overwritten (default); `keep` it, for what
   * several generators share; `replace` it, for a file that was read and edited.
   */
  readonly whenPresent?: "refuse" | "keep" | "replace";
}

/** What happened, or with `isDryRun` would have happened, to each file. */
export interface WrittenFile {
  readonly path: string;
  readonly change: "create" | "overwrite" | "edit" | "keep";
}

/** How files are written. */
export interface WriteOptions {
  readonly root: string;
  /** Overwrites files that are there. */
  readonly isForced?: boolean;
  /** Writes nothing. */
  readonly isDryRun?: boolean;
}

/**
 * Writes all of the files, or none of them: what fails half-way is undone.
 *
 * @throws E_GENERATE_EXISTS when files are there already.
 */
export function writeFiles(files: readonly GeneratedFile[], options: WriteOptions): readonly WrittenFile[] {
  const { root, isForced = false, isDryRun = false } = options;
  const planned = files.map((file): [GeneratedFile, WrittenFile] => {
    const isPresent = existsSync(join(root, file.path));
    return [file, { path: file.path, change: isPresent ? changeOf(file) : "create" }];
  });
  const taken = planned.filter(([, { change }]) => change === "overwrite").map(([{ path }]) => path);
  if (taken.length > 0 && !isForced) throw errors.E_GENERATE_EXISTS(taken);
  if (!isDryRun)
    replaceAll(
      planned.filter(([, { change }]) => change !== "keep").map(([file]) => file),
      root,
    );
  return planned.map(([, written]) => written);
}

function changeOf({ whenPresent = "refuse" }: GeneratedFile): WrittenFile["change"] {
  if (whenPresent === "keep") return "keep";
  return whenPresent === "replace" ? "edit" : "overwrite";
}

/** Writes each file under another name first: what fails most, a full disk or a missing right, then changes nothing. */
function replaceAll(files: readonly GeneratedFile[], root: string): void {
  const undo: (() => void)[] = [];
  const suffix = `.${Random.uuid()}.tmp`;
  try {
    for (const { path, text } of files) {
      const folder = join(root, dirname(path));
      const made = mkdirSync(folder, { recursive: true });
      if (made !== undefined) undo.push(() => removeEmpty(folder, dirname(made)));
      const temporary = join(root, path) + suffix;
      undo.push(() => rmSync(temporary, { force: true }));
      writeFileSync(temporary, text, { flag: "wx" });
    }
    for (const { path } of files) {
      const target = join(root, path);
      const before = existsSync(target) ? readFileSync(target) : undefined;
      renameSync(target + suffix, target);
      undo.push(() => (before === undefined ? rmSync(target) : writeFileSync(target, before)));
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  }
}

/** Removes a folder and those above it up to, but without, `end`. */
function removeEmpty(folder: string, end: string): void {
  for (let each = folder; each !== end && each.length > end.length; each = dirname(each)) rmdirSync(each);
}
