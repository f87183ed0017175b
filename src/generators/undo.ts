import { readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "../core/index.ts";
import { errors, projectRoot, readProjectFile } from "../project/index.ts";
import { parseArguments } from "./generate.ts";
import { hashText, type Edit, type RecordedFile, type RecordedRun, readRuns, writeRuns } from "./runs.ts";

/** Runs the command `gen.undo`. */
export function genUndo(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, isDryRun } = parseArguments(args);
  if (positionals.length > 0) return undefined;
  const root = projectRoot();
  const runs = readRuns(root);
  const last = runs.findLastIndex((recordedRun) => !isUndone(root, recordedRun));
  const run = runs[last];
  if (run === undefined) throw errors.E_GENERATE_UNDO("no run of a generator is recorded", []);
  const steps = run.files.map((file) => ({ file, undo: undoStep(root, file) }));
  const changed = steps.filter(({ undo }) => undo === undefined).map(({ file }) => file.path);
  if (changed.length > 0) throw errors.E_GENERATE_UNDO("these files have changed since", changed);
  for (const { file, undo } of steps) {
    if (!isDryRun) undo?.();
    output.print(`${(file.edit === undefined ? "removed" : "restored").padEnd(12)} ${file.path}`);
  }
  if (isDryRun) output.note("Dry run: no file was changed.");
  else writeRuns(root, runs.slice(0, last));
  if (run.files.some(({ path, edit }) => edit === undefined && path.startsWith("database/migration/"))) {
    output.note(
      isDryRun
        ? 'If the migration has run, run "migrate down" before gen.undo: its changes stay in the database otherwise.'
        : 'If the migration has run, its changes stay in the database: run the generator again, "migrate down", then gen.undo.',
    );
  }
  return { done: true };
}

/** Returns true if the created files of a run are gone and its edits are absent, for example after `git checkout`. */
const isUndone = (root: string, { files }: RecordedRun): boolean =>
  files.every(({ path, edit }) => {
    const current = readProjectFile(root, path);
    return current === undefined || (edit !== undefined && isAbsent(current, edit));
  });

/** Returns true if a text contains no line that an edit added. */
function isAbsent(current: string, { before, after }: Edit): boolean {
  const [previousLines, lines] = [new Set(before.split("\n")), new Set(current.split("\n"))];
  const added = after.split("\n").filter((line) => !previousLines.has(line));
  return current === before || (added.length > 0 && !added.some((line) => lines.has(line)));
}

/** Returns the function that undoes the change of a file, or `undefined` if the file has changed since. */
function undoStep(root: string, { path, hash, edit }: RecordedFile): (() => void) | undefined {
  const current = readProjectFile(root, path);
  if (edit === undefined) {
    if (current === undefined) return () => undefined;
    return hashText(current) === hash ? () => removeFile(root, path) : undefined;
  }
  const restored = current === undefined ? undefined : revertEdit(current, edit);
  return restored === undefined ? undefined : () => writeFileSync(join(root, path), restored);
}

/**
 * Takes an edit back, and keeps changes of other lines. Returns `undefined` if the edited lines have changed, or are not
 * unique.
 */
export function revertEdit(current: string, edit: Edit): string | undefined {
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
