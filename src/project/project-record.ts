import { createHash } from "node:crypto";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

/** Record of a project about the template that it was created from. `upgrade` compares with it. */
export interface ProjectRecord {
  /** Version of the framework that created or upgraded the project. */
  readonly version: string;
  /** True for a project without the example of the template. */
  readonly isBare: boolean;
  /** Ids of the template files as git blobs, by path, so that git finds their texts in the history of the project. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Texts of template files that an upgrade merged into changed files, by path, compressed with Brotli, in base64. No commit
   * contains them, and the next upgrade needs them for its merge.
   */
  readonly originals?: Readonly<Record<string, string>>;
}

/** Path of the record in a project. */
export const recordPath = ".limmat.json";

/** Returns true for a file that has other content in every project: the secrets, and the record itself. */
export const isUnrecorded = (path: string): boolean => path === ".env" || path === recordPath;

/** Returns the text of the record of a project with these template files. */
export function formatRecord(
  version: string,
  isBare: boolean,
  files: Iterable<readonly [string, string]>,
  originals: ProjectRecord["originals"] = {},
): string {
  const ids = [...files].filter(([path]) => !isUnrecorded(path)).map(([path, text]) => [path, blobId(text)] as const);
  // `toSorted` needs Node 20, and a new project is created on Node 18, too.
  ids.sort(([a], [b]) => (a < b ? -1 : 1));
  const record: ProjectRecord = {
    version,
    isBare,
    files: Object.fromEntries(ids),
    ...(Object.keys(originals).length > 0 && { originals }),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

/** Compresses a text for `originals`. */
export const packText = (text: string): string => brotliCompressSync(text).toString("base64");

/** Returns the recorded text of a template file; `undefined` if the record does not contain it. */
export function findOriginal({ files, originals }: ProjectRecord, path: string): string | undefined {
  const packed = originals?.[path];
  if (packed === undefined) return undefined;
  try {
    const text = brotliDecompressSync(Buffer.from(packed, "base64"), { maxOutputLength: maxOriginalBytes }).toString();
    return blobId(text) === files[path] ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Limit for a damaged record. The files of the template are smaller by far. */
const maxOriginalBytes = 10 * 1024 * 1024;

/** Parses the text of a record; `undefined` if it is damaged. */
export function parseRecord(text: string): ProjectRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== "object" || record === null) return undefined;
    const { version, isBare = false, files, originals } = record as Readonly<Record<string, unknown>>;
    const isComplete =
      typeof version === "string" &&
      typeof isBare === "boolean" &&
      isTextList(files, /^[0-9a-f]{40}$/) &&
      (originals === undefined || isTextList(originals, /^[\w+/=]*$/));
    return isComplete ? { version, isBare, files, ...(originals !== undefined && { originals }) } : undefined;
  } catch {
    return undefined;
  }
}

const isTextList = (value: unknown, pattern: RegExp): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((text) => typeof text === "string" && pattern.test(text));

/** Returns the id that git gives to a file with this text. Line ends of Windows count as those of Unix. */
export function blobId(text: string): string {
  const bytes = Buffer.from(text.replaceAll("\r\n", "\n"));
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
