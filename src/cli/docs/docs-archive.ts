import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { errors } from "../errors.ts";

/** Paths of the archive from the root of the package, and of the repository, where `npm run docs:build` writes it. */
const archivePaths = ["dist/docs.br", "site/dist/docs.br"];

/**
 * Reads the files of the documentation site, by path. The archive is one compressed file: a line of JSON with the paths and
 * lengths of the files, and then their contents.
 *
 * @throws E_DOCS_MISSING if there is no archive.
 */
export function readDocsArchive(path: string | undefined = findArchive()): ReadonlyMap<string, Buffer> {
  if (path === undefined || !existsSync(path)) throw errors.E_DOCS_MISSING();
  const content = brotliDecompressSync(readFileSync(path));
  const headerEnd = content.indexOf("\n");
  const entries = JSON.parse(content.toString("utf8", 0, headerEnd)) as readonly [path: string, length: number][];
  const files = new Map<string, Buffer>();
  let start = headerEnd + 1;
  for (const [name, length] of entries) {
    files.set(name, content.subarray(start, start + length));
    start += length;
  }
  return files;
}

/** Returns the path of the archive in the package that contains this file. */
function findArchive(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = archivePaths.map((name) => join(folder, name)).find((candidate) => existsSync(candidate));
    if (path !== undefined) return path;
    // The root of the package, or of the file system.
    if (existsSync(join(folder, "stubs")) || folder === dirname(folder)) return undefined;
  }
}
