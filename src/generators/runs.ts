import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { errors } from "../project/index.ts";

/** Text of a file before and after an edit. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

/** A file that a generator wrote. */
export interface RecordedFile {
  /** Path from the root of the project, with `/` as separator. */
  readonly path: string;
  /** Hash of the written text. */
  readonly hash: string;
  /** Absent for a new file. */
  readonly edit?: Edit;
}

/** Files of one run of a generator. */
export interface RecordedRun {
  readonly files: readonly RecordedFile[];
}

/** Record of the runs for `gen.undo`. New projects exclude the folder from git and from images. */
const recordFile = "tmp/generated-files";

/** Maximum number of runs that can be undone. */
const maxRuns = 20;

/** Returns the SHA-256 hash of a text. */
export const hashText = (text: string): string => createHash("sha256").update(text).digest("base64url");

/**
 * Reads the recorded runs, the last one at the end.
 *
 * @throws E_GENERATE_UNDO if the record is damaged.
 */
export function readRuns(root: string): readonly RecordedRun[] {
  const path = join(root, recordFile);
  if (!existsSync(path)) return [];
  const runs = parseRuns(readFileSync(path, "utf8"));
  if (runs === undefined) throw errors.E_GENERATE_UNDO(`the record ${recordFile} is damaged. Delete it`, []);
  return runs;
}

/** Writes the runs, the last one at the end. */
export function writeRuns(root: string, runs: readonly RecordedRun[]): void {
  const path = join(root, recordFile);
  if (runs.length === 0) return rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(runs.slice(-maxRuns)), { mode: 0o600 });
}

function parseRuns(text: string): readonly RecordedRun[] | undefined {
  try {
    const runs: unknown = JSON.parse(text);
    return Array.isArray(runs) && runs.every(isRun) ? runs : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isRun = (run: unknown): run is RecordedRun =>
  isObject(run) && Array.isArray(run["files"]) && run["files"].every(isRecordedFile);

function isRecordedFile(file: unknown): file is RecordedFile {
  if (!isObject(file)) return false;
  const { path, hash, edit } = file;
  const isEdit = isObject(edit) && typeof edit["before"] === "string" && typeof edit["after"] === "string";
  return typeof path === "string" && isInside(path) && typeof hash === "string" && (edit === undefined || isEdit);
}

/** Returns true for a path within the project: the record could be forged. */
const isInside = (path: string): boolean => !isAbsolute(path) && !path.split(/[\\/]/).includes("..");
