import { spawnSync } from "node:child_process";
import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  blobId,
  type DatabaseName,
  databases,
  findOriginal,
  isUnrecorded,
  mergeText,
  packText,
  type ProjectFiles,
  type ProjectRecord,
  readProjectFile,
  renderProject,
  type TextVersions,
} from "../../project/index.ts";
import { errors } from "../errors.ts";

/**
 * Change of a template file.
 *
 * - `updated`: the project has not changed it
 * - `merged`: the changes of the project and of the template are in different lines
 * - `added`: it is new in the template
 * - `conflict`: the user has to merge it
 * - `obsolete`: the template has it no more; the project keeps it
 */
export type TemplateChangeKind = "updated" | "merged" | "added" | "conflict" | "obsolete";

/** Change of a template file in a project. */
export interface TemplateChange {
  readonly path: string;
  readonly kind: TemplateChangeKind;
  /** Text of the template. Empty for an obsolete file. */
  readonly target: string;
  /** New text of the file in the project; `undefined` if it stays as it is. */
  readonly text: string | undefined;
  /** Text that the template had before, or else the text of the project. */
  readonly before: string | undefined;
}

/** Returns the changes that write a file, with its new text. */
export const changedFiles = (
  changes: readonly TemplateChange[],
): readonly { readonly path: string; readonly text: string }[] =>
  changes.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));

/** Returns the files of the installed template for a project; `undefined` if the database of the project is not known. */
export function renderTemplate(root: string, record: ProjectRecord): ProjectFiles | undefined {
  const database = databaseOf(root);
  if (database === undefined) return undefined;
  const { name = "my-app" } = readManifest(root);
  // Random values are in unrecorded files only.
  return renderProject({ name, database, isBare: record.isBare, secret: "", databasePassword: "" });
}

/** Returns the text of a template file with the version of the framework that the project chose. */
function withChosenVersion(root: string, path: string, text: string): string {
  const version = path === "package.json" ? readManifest(root).dependencies?.["limmat"] : undefined;
  return version === undefined ? text : withVersion(text, version);
}

/** Returns the text of a `package.json` with another version of the framework. */
const withVersion = (text: string, version: string): string =>
  text.replace(/("limmat": )"[^"]*"/, `$1${JSON.stringify(version)}`);

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** @throws E_UPGRADE_MANIFEST */
function readManifest(root: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  } catch (cause) {
    throw errors.E_UPGRADE_MANIFEST().causedBy(cause);
  }
}

function databaseOf(root: string): DatabaseName | undefined {
  const services = readProjectFile(root, "service/service.ts") ?? "";
  const name = /"limmat\/database\/([a-z]+)"/.exec(services)?.[1];
  return databases.find((database) => database === name);
}

/** Compares the files of a project with the template that it was created from and with the installed one. */
export function compareTemplate(
  root: string,
  record: ProjectRecord,
  template: ProjectFiles,
): readonly TemplateChange[] {
  const changes = [...template].flatMap(([path, text]): readonly TemplateChange[] => {
    if (isUnrecorded(path)) return [];
    const change = compareFile(root, record, path, text);
    return change === undefined ? [] : [change];
  });
  const obsolete = Object.keys(record.files)
    .filter((path) => !template.has(path) && existsSync(join(root, path)))
    .map((path): TemplateChange => ({ path, kind: "obsolete", target: "", text: undefined, before: undefined }));
  return [...changes, ...obsolete].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function compareFile(
  root: string,
  record: ProjectRecord,
  path: string,
  templateText: string,
): TemplateChange | undefined {
  const file = join(root, path);
  const recordedId = record.files[path];
  if (recordedId === blobId(templateText)) return undefined;
  // The version alone is no change, and a project without the original text in git could not merge it.
  if (path === "package.json" && recordedId === blobId(withVersion(templateText, record.version))) return undefined;
  const chosen = withChosenVersion(root, path, templateText);
  if (!existsSync(file)) {
    // A recorded file that is missing was deleted by the user.
    const isDeleted = recordedId !== undefined;
    return isDeleted ? undefined : { path, kind: "added", target: chosen, text: chosen, before: undefined };
  }
  const current = readUtf8File(file);
  // A folder, or a text that cannot be merged.
  if (current === undefined) return { path, kind: "conflict", target: chosen, text: undefined, before: undefined };
  const target = withLineEndsOf(current, chosen);
  if (blobId(current) === blobId(target)) return undefined;
  if (blobId(current) === recordedId) return { path, kind: "updated", target, text: target, before: current };
  const base = recordedId === undefined ? undefined : (findOriginal(record, path) ?? readBlob(root, recordedId));
  const merge = path === "package.json" ? mergeManifest : mergeText;
  const merged = base === undefined ? undefined : merge({ base: withLineEndsOf(current, base), current, target });
  if (merged === current) return undefined;
  const text = merged === undefined ? undefined : withLineEndsOf(current, merged);
  return text === undefined
    ? { path, kind: "conflict", target, text, before: base ?? current }
    : { path, kind: "merged", target, text, before: current };
}

/** Value of a property. `undefined` if there is no such property. */
type Value = unknown;
type Properties = Readonly<Record<string, Value>>;

class MergeConflict extends Error {}

/**
 * Merges two changes of `package.json`, property by property: a dependency that a generator has added does not contradict
 * a new version of the one above, as it would line by line. Returns `undefined` if both change the same property, or if a
 * text is not JSON.
 */
export function mergeManifest({ base, current, target }: TextVersions): string | undefined {
  try {
    const value: Value = JSON.parse(current);
    const merged = mergeValue(JSON.parse(base), value, JSON.parse(target));
    const indentation = /^[\t ]+/m.exec(current)?.[0] ?? "  ";
    return isDeepStrictEqual(merged, value) ? current : `${JSON.stringify(merged, undefined, indentation)}\n`;
  } catch (error) {
    if (error instanceof MergeConflict || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function mergeValue(base: Value, current: Value, target: Value): Value {
  if (isDeepStrictEqual(base, target) || isDeepStrictEqual(current, target)) return current;
  if (isDeepStrictEqual(base, current)) return target;
  if (!isProperties(current) || !isProperties(target)) throw new MergeConflict();
  const properties = isProperties(base) ? base : {};
  const keys = new Set([...Object.keys(current), ...Object.keys(target)]);
  const merged = [...keys].map((key) => [key, mergeValue(properties[key], current[key], target[key])] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

const isProperties = (value: Value): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns the template files that no commit has after an upgrade, for the new record: those that are merged, and those in
 * conflict.
 *
 * @param read Returns the text of a file after the upgrade; the empty text if it is missing.
 */
export function listOriginals(
  record: ProjectRecord,
  template: ProjectFiles,
  read: (path: string) => string,
): Readonly<Record<string, string>> {
  const originals = [...template].flatMap(([path, target]): readonly (readonly [string, string])[] => {
    const id = blobId(target);
    const text = read(path);
    if (isUnrecorded(path) || text === "" || blobId(text) === id) return [];
    const original = record.files[path] === id ? record.originals?.[path] : packText(target);
    return original === undefined ? [] : [[path, original]];
  });
  return Object.fromEntries(originals);
}

/** Returns the text of a file; `undefined` if there is none, or if it is not UTF-8: writing it would change other characters. */
export function readUtf8File(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** Returns a text with the line ends of another one, those of Windows or of Unix. */
const withLineEndsOf = (other: string, text: string): string =>
  other.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;

/** Returns the text of a blob of the repository of the project; `undefined` if it was never committed. */
function readBlob(root: string, id: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["cat-file", "blob", id], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 20 * 1024 * 1024,
  });
  return status === 0 ? stdout : undefined;
}
