import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
  renderProject,
} from "../../project/index.ts";
import { errors } from "../errors.ts";
import { mergeManifest } from "./merge-manifest.ts";
import { readUtf8File, withLineEndsOf } from "./read-utf8-file.ts";

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
  const path = join(root, "service/service.ts");
  const name = existsSync(path) ? /"limmat\/database\/([a-z]+)"/.exec(readFileSync(path, "utf8"))?.[1] : undefined;
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

/** Returns the text of a blob of the repository of the project; `undefined` if it was never committed. */
function readBlob(root: string, id: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["cat-file", "blob", id], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 20 * 1024 * 1024,
  });
  return status === 0 ? stdout : undefined;
}
