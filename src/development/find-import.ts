import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { editDistance } from "../core/index.ts";
import type { SourceLocation } from "./failure.ts";

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*(["'])([^"'\n]+)\1/g;

/** Import statement of a file. */
export interface FoundImport extends SourceLocation {
  /** Specifier as written: `../app/page`. */
  readonly specifier: string;
}

/** Finds the first import of a file whose specifier matches. */
export function findImport(file: string, isMatch: (specifier: string) => boolean): FoundImport | undefined {
  const text = readSource(file);
  for (const { 0: match, 2: specifier = "", index } of text.matchAll(importPattern)) {
    if (!isMatch(specifier)) continue;
    const before = text.slice(0, index + match.length - specifier.length - 1);
    return { file, specifier, line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
  }
  return undefined;
}

/** Finds the import of a file by path, in all sources of the project. */
export function findImporter(root: string, path: string): FoundImport | undefined {
  for (const file of sourceFiles(root)) {
    const found = findImport(
      file,
      (specifier) => specifier.startsWith(".") && resolve(dirname(file), specifier) === path,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the source file with the name that is most similar to that of a missing path. Of equal names, the one whose path
 * is most similar.
 */
export function nearestFile(root: string, missing: string): string | undefined {
  const name = stem(missing);
  const path = relative(root, missing);
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  const [nearest] = sourceFiles(root)
    .map((file) => ({ file, nameDistance: editDistance(stem(file), name) }))
    .filter(({ nameDistance }) => nameDistance <= maxDistance)
    .map((candidate) => ({ ...candidate, pathDistance: editDistance(relative(root, candidate.file), path) }))
    .sort((a, b) => a.nameDistance - b.nameDistance || a.pathDistance - b.pathDistance);
  return nearest?.file;
}

/** Returns the specifier by which one file imports another: `../app/page.ts`. */
export function specifierOf(importer: string, file: string): string {
  const path = relative(dirname(importer), file).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

const ignoredFolders = new Set(["node_modules", ".git", "dist", "coverage", "tmp", "logs", "vendor", "built"]);

/** Returns the absolute paths of the source files of a project. */
export function sourceFiles(root: string): readonly string[] {
  return globSync("**/*.{ts,tsx,mts,js,mjs,json}", { cwd: root, exclude: (path) => ignoredFolders.has(basename(path)) })
    .sort()
    .map((path) => join(root, path));
}

const stem = (path: string): string =>
  basename(path)
    .replace(/\.[^.]+$/, "")
    .toLowerCase();

/** Reads a text file; empty if it cannot be read. */
export function readSource(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
