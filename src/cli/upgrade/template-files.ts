import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseName, databases } from "../gen/database.ts";
import { mergeText } from "../merge-text.ts";
import { type ProjectFiles, renderProject } from "../new/project-files.ts";
import { blobId, isUnrecorded, type ProjectRecord } from "../new/project-record.ts";

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

/** Returns the files of the installed template for a project; `undefined` if the database of the project is not known. */
export function renderTemplate(root: string, record: ProjectRecord): ProjectFiles | undefined {
  const database = databaseOf(root);
  if (database === undefined) return undefined;
  const { name = "my-app", dependencies } = readManifest(root);
  // Random values are in unrecorded files only.
  const files = renderProject({ name, database, isBare: record.isBare, secret: "", databasePassword: "" });
  const version = dependencies?.["limmat"];
  if (version === undefined) return files;
  // The project chooses the version of the framework.
  return new Map(
    [...files].map(([path, text]) =>
      path === "package.json"
        ? [path, text.replace(/("limmat": )"[^"]*"/, `$1${JSON.stringify(version)}`)]
        : [path, text],
    ),
  );
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
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
  const changes = [...template].flatMap(([path, target]): readonly TemplateChange[] => {
    if (isUnrecorded(path)) return [];
    const change = compareFile(root, path, target, record.files[path]);
    return change === undefined ? [] : [change];
  });
  const obsolete = Object.keys(record.files)
    .filter((path) => !template.has(path) && existsSync(join(root, path)))
    .map((path): TemplateChange => ({ path, kind: "obsolete", target: "", text: undefined, before: undefined }));
  return [...changes, ...obsolete].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function compareFile(
  root: string,
  path: string,
  target: string,
  recordedId: string | undefined,
): TemplateChange | undefined {
  const file = join(root, path);
  if (recordedId === blobId(target)) return undefined;
  if (!existsSync(file)) {
    // A recorded file that is missing was deleted by the user.
    return recordedId === undefined ? { path, kind: "added", target, text: target, before: undefined } : undefined;
  }
  const current = readFileSync(file, "utf8");
  if (blobId(current) === blobId(target)) return undefined;
  if (blobId(current) === recordedId) return { path, kind: "updated", target, text: target, before: current };
  const base = recordedId === undefined ? undefined : readBlob(root, recordedId);
  const text = base === undefined ? undefined : mergeText({ base, current, target });
  return text === undefined
    ? { path, kind: "conflict", target, text, before: base ?? current }
    : { path, kind: "merged", target, text, before: current };
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
