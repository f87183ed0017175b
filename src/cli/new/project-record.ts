import { createHash } from "node:crypto";

/** Record of a project about the template that it was created from. `upgrade` compares with it. */
export interface ProjectRecord {
  /** Version of the framework that created or upgraded the project. */
  readonly version: string;
  /** True for a project without the example of the template. */
  readonly isBare: boolean;
  /** Ids of the template files as git blobs, by path, so that git finds their texts in the history of the project. */
  readonly files: Readonly<Record<string, string>>;
}

/** Path of the record in a project. */
export const recordPath = ".limmat.json";

/** Returns true for a file that has other content in every project: the secrets, and the record itself. */
export const isUnrecorded = (path: string): boolean => path === ".env" || path === recordPath;

/** Returns the text of the record of a project with these template files. */
export function formatRecord(version: string, isBare: boolean, files: Iterable<readonly [string, string]>): string {
  const ids = [...files]
    .filter(([path]) => !isUnrecorded(path))
    .map(([path, text]) => [path, blobId(text)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version, isBare, files: Object.fromEntries(ids) }, undefined, 2)}\n`;
}

/** Parses the text of a record; `undefined` if it is damaged. */
export function parseRecord(text: string): ProjectRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== "object" || record === null) return undefined;
    const { version, isBare = false, files } = record as Readonly<Record<string, unknown>>;
    const isComplete = typeof version === "string" && typeof isBare === "boolean" && isIdList(files);
    return isComplete ? { version, isBare, files } : undefined;
  } catch {
    return undefined;
  }
}

const isIdList = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((id) => typeof id === "string" && /^[0-9a-f]{40}$/.test(id));

/** Returns the id that git gives to a file with this text. Line ends of Windows count as those of Unix. */
export function blobId(text: string): string {
  const bytes = Buffer.from(text.replaceAll("\r\n", "\n"));
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
