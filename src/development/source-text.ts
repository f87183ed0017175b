import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
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

/** Names that a module exports. */
export interface ExportedNames {
  /** Names that exist at run time. */
  readonly values: Set<string>;
  /** Names of types, which type stripping removes. */
  readonly types: Set<string>;
}

const declarationPattern =
  /^\s*export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|var|function\*?|class|type|interface)\s+([\w$]+)/gm;
const listPattern = /^\s*export\s+(type\s+)?\{([^}]*)\}/gm;
const destructuringPattern = /^\s*export\s+(?:const|let|var)\s*[{[]([^}\]]*)[}\]]\s*[:=]/gm;
const starPattern = /^\s*export\s+(type\s+)?\*\s+(?:as\s+([\w$]+)\s+)?from\s+["']([^"']+)["']/gm;

/** Returns the exports of the module that `specifier` names in the file `importer`. */
export async function exportedNames(specifier: string, importer: string): Promise<ExportedNames> {
  const names = { values: new Set<string>(), types: new Set<string>() };
  if (/^(?:\.|\/|file:)/.test(specifier)) {
    const path = specifier.startsWith("file:") ? new URL(specifier).pathname : resolve(dirname(importer), specifier);
    await collectExports(path, names, new Set());
    return names;
  }
  try {
    // A package is imported, because its files may be bundled. This process ends with the failure anyway.
    const path = specifier.startsWith("node:") ? specifier : createRequire(importer).resolve(specifier);
    const url = path.startsWith("node:") ? path : pathToFileURL(path).href;
    for (const name of Object.keys((await import(url)) as object)) names.values.add(name);
    const declarations = path.endsWith(".ts") ? path : path.replace(/\.([cm]?)js$/, ".d.$1ts");
    await collectExports(declarations, { values: new Set(), types: names.types }, new Set());
    for (const name of names.values) names.types.delete(name);
  } catch {
    // The package has another problem: no name is suggested.
  }
  return names;
}

/** Collects the exports of a source file by its text: importing it would run it. */
async function collectExports(file: string, names: ExportedNames, visited: Set<string>): Promise<void> {
  if (visited.has(file)) return;
  visited.add(file);
  const text = readSource(file);
  const add = (name: string, isType: boolean): void => void (isType ? names.types : names.values).add(name);
  for (const [, kind = "", name = ""] of text.matchAll(declarationPattern)) {
    add(name, kind === "type" || kind === "interface");
  }
  for (const [, typeKeyword, list = ""] of text.matchAll(listPattern)) {
    for (const item of list.split(",")) {
      const [, itemKeyword, name, alias] = /^\s*(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(item) ?? [];
      if (name !== undefined) add(alias ?? name, (typeKeyword ?? itemKeyword) !== undefined);
    }
  }
  for (const [, list = ""] of text.matchAll(destructuringPattern)) {
    for (const item of list.split(",")) {
      const [, name] = /([\w$]+)\s*(?:=[^]*)?$/.exec(item.trim()) ?? [];
      if (name !== undefined) add(name, false);
    }
  }
  for (const [, typeKeyword, alias, specifier = ""] of text.matchAll(starPattern)) {
    if (alias !== undefined) add(alias, typeKeyword !== undefined);
    else if (specifier.startsWith(".")) {
      const path = resolve(dirname(file), specifier);
      await collectExports(file.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path, names, visited);
    } else if (!file.includes("/node_modules/")) {
      const { values, types } = await exportedNames(specifier, file);
      for (const name of values) add(name, typeKeyword !== undefined);
      for (const name of types) add(name, true);
    }
  }
  if (/^\s*export\s+default\b/m.test(text)) names.values.add("default");
}
