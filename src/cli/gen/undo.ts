import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "../../core/index.ts";
import { errors } from "./errors.ts";
import { parseArguments } from "./generate.ts";
import { projectRoot } from "./project.ts";
import { hashText, type RecordedFile, readRuns, writeRuns } from "./runs.ts";

/** Runs the command `gen.undo`. */
export function genUndo(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, isDryRun } = parseArguments(args);
  if (positionals.length > 0) return undefined;
  const root = projectRoot();
  const runs = readRuns(root);
  const run = runs.at(-1);
  if (run === undefined) throw errors.E_GENERATE_UNDO("no run of a generator is recorded", []);
  const steps = run.files.map((file) => ({ file, undo: undoStep(root, file) }));
  const changed = steps.filter(({ undo }) => undo === undefined).map(({ file }) => file.path);
  if (changed.length > 0) throw errors.E_GENERATE_UNDO("these files have changed since", changed);
  for (const { file, undo } of steps) {
    if (!isDryRun) undo?.();
    output.print(`${(file.edit === undefined ? "removed" : "restored").padEnd(12)} ${file.path}`);
  }
  if (isDryRun) output.note("Dry run: no file was changed.");
  else writeRuns(root, runs.slice(0, -1));
  if (run.files.some(({ path, edit }) => edit === undefined && path.startsWith("database/migration/"))) {
    output.note("The tables of a migration that has run stay in the database.");
  }
  return { done: true };
}

/** Returns the function that undoes the change of a file, or `undefined` if the file has changed since. */
function undoStep(root: string, { path, hash, edit }: RecordedFile): (() => void) | undefined {
  const file = join(root, path);
  const current = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (edit === undefined) {
    if (current === undefined) return () => undefined;
    return hashText(current) === hash ? () => removeFile(root, path) : undefined;
  }
  const restored = current === undefined ? undefined : revertEdit(current, edit);
  return restored === undefined ? undefined : () => writeFileSync(file, restored);
}

/**
 * Takes an edit back, and keeps changes of other lines. Returns `undefined` if the edited lines have changed, or are not
 * unique.
 */
export function revertEdit(
  current: string,
  edit: { readonly before: string; readonly after: string },
): string | undefined {
  if (current === edit.after) return edit.before;
  const [before, after] = [edit.before.split("\n"), edit.after.split("\n")];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const inserted = after.slice(start, after.length - end);
  const lines = current.split("\n");
  const places = lines.flatMap((_, index) =>
    inserted.every((line, offset) => lines[index + offset] === line) ? [index] : [],
  );
  const [place] = places;
  if (place === undefined || places.length > 1 || inserted.length === 0) return undefined;
  const replacement = before.slice(start, before.length - end);
  return [...lines.slice(0, place), ...replacement, ...lines.slice(place + inserted.length)].join("\n");
}

/** Removes a file and the folders that become empty. */
function removeFile(root: string, path: string): void {
  rmSync(join(root, path));
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (readdirSync(join(root, folder)).length > 0) return;
    rmdirSync(join(root, folder));
  }
}
