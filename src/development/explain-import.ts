import { suggest } from "../core/index.ts";
import { existsSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Failure, projectPath, type SourceLocation } from "./failure.ts";
import { exportedNames, findImport, findImporter, nearestFile, readSource, specifierOf } from "./source-text.ts";

/** Error of the module loader, with the properties that Node sets. */
export interface LoadError extends Error {
  readonly code?: unknown;
}

/**
 * Explains an error of Node's module loader: a file, package or export that does not exist. Returns `undefined` for any
 * other error.
 */
export async function explainImport(
  error: LoadError,
  root: string,
  stackHead: SourceLocation | undefined,
): Promise<Failure | undefined> {
  const missing = /^Cannot find (module|package) '(.+?)' imported from (.+?)(?:\n|$)/.exec(error.message);
  if (missing !== null) {
    const [, kind, target = "", importer = ""] = missing;
    return kind === "module" ? missingFile(target, importer, root) : missingPackage(target, importer, root);
  }
  const [, directory, directoryImporter] =
    /^Directory import '(.+?)' is not supported .*?imported from (.+?)(?:\n|$)/.exec(error.message) ?? [];
  if (directory !== undefined && directoryImporter !== undefined)
    return missingFile(directory, directoryImporter, root);
  const [, subpath, manifest, pathImporter] =
    /^Package subpath '\.\/(.+?)' is not defined by "exports" in (.+?) imported from (.+?)(?:\n|$)/.exec(
      error.message,
    ) ?? [];
  if (subpath !== undefined) return missingSubpath(subpath, manifest ?? "", pathImporter ?? "");
  const [, specifier, name] =
    /^The requested module '(.+?)' does not provide an export named '(.+?)'/.exec(error.message) ?? [];
  if (specifier !== undefined && name !== undefined && stackHead !== undefined) {
    return missingExport(specifier, name, stackHead, root);
  }
  const [, manifestPath] = /^Invalid package config (.+?)\.(?: |$)/.exec(error.message) ?? [];
  if (manifestPath !== undefined) return invalidManifest(manifestPath, root);
  const [, url] = /^Module "(file:.+?)" needs an import attribute of "type: json"/.exec(error.message) ?? [];
  return url === undefined ? undefined : missingAttribute(fileURLToPath(url), root);
}

function missingFile(target: string, importer: string, root: string): Failure {
  // Nothing imports the entry point, which the development server runs.
  if (projectPath(importer, root) === "") {
    const message = `${projectPath(target, root)}, the entry point of the application, does not exist.`;
    return {
      message,
      locations: [],
      hint: "Create the file. It creates the application and runs it: await app.run();",
    };
  }
  const location = findImport(importer, (specifier) => resolve(dirname(importer), specifier) === target);
  return {
    message: `${projectPath(importer, root)} imports ${quoted(location?.specifier ?? target)}, and there is no such file.`,
    locations: [location ?? { file: importer, line: 1 }],
    hint: missingFileHint(target, importer, root),
  };
}

function missingFileHint(target: string, importer: string, root: string): string {
  const withoutExtension = target.replace(/\.[cm]?jsx?$/, "");
  const candidates = [".ts", ".tsx", ".mts", "/index.ts"].map((ending) => join(withoutExtension + ending));
  const file = [`${target}.ts`, ...candidates].find(isFile);
  if (file !== undefined) {
    return `Node imports a file by its whole name. Write ${quoted(specifierOf(importer, file))}.`;
  }
  const nearest = nearestFile(root, target);
  if (nearest === undefined) return "Create the file, or correct the path.";
  return `Did you mean ${quoted(specifierOf(importer, nearest))}?`;
}

function missingPackage(name: string, importer: string, root: string): Failure {
  const location = findImport(importer, (specifier) => specifier === name || specifier.startsWith(`${name}/`));
  return {
    message: `${projectPath(importer, root)} imports the package ${quoted(name)}, which is not installed.`,
    locations: [location ?? { file: importer, line: 1 }],
    hint: missingPackageHint(location?.specifier ?? name, name, importer, root),
  };
}

function missingPackageHint(specifier: string, name: string, importer: string, root: string): string {
  const file = [join(root, specifier), join(root, `${specifier}.ts`), join(dirname(importer), specifier)].find(isFile);
  if (file !== undefined) {
    return `The path of a file begins with a dot. Write ${quoted(specifierOf(importer, file))}.`;
  }
  const { dependencies, devDependencies } = parseManifest(join(root, "package.json"));
  const installed = Object.keys({ ...dependencies, ...devDependencies });
  if (installed.includes(name)) return "package.json lists it. Run: npm install";
  const [similar] = suggest(name, [...installed, ...builtinModules.map((builtin) => `node:${builtin}`)]);
  const install = `npm install ${name}`;
  return similar === undefined ? `Run: ${install}` : `Did you mean ${quoted(similar)}? Otherwise run: ${install}`;
}

function missingSubpath(subpath: string, manifest: string, importer: string): Failure {
  const { name = "", exports } = parseManifest(manifest);
  const specifier = `${name}/${subpath}`;
  const names = Object.keys(exports ?? {}).map((path) => (path === "." ? name : join(name, path).split(sep).join("/")));
  const [similar] = suggest(specifier, names);
  return {
    message: `The package ${quoted(name)} has no entry point ${quoted(specifier)}.`,
    locations: [findImport(importer, (candidate) => candidate === specifier) ?? { file: importer, line: 1 }],
    hint: similar === undefined ? `It has ${enumerate(names)}.` : `Did you mean ${quoted(similar)}?`,
  };
}

async function missingExport(
  specifier: string,
  name: string,
  location: SourceLocation,
  root: string,
): Promise<Failure> {
  const isFilePath = specifier.startsWith(".");
  const module = isFilePath ? projectPath(resolve(dirname(location.file), specifier), root) : quoted(specifier);
  const { values, types } = await exportedNames(specifier, location.file);
  const column = columnOf(location, name);
  return {
    message: `${module} has no export named ${quoted(name)}.`,
    locations: [{ ...location, column }],
    hint: missingExportHint(name, specifier, values, types),
  };
}

function missingExportHint(
  name: string,
  specifier: string,
  values: ReadonlySet<string>,
  types: ReadonlySet<string>,
): string | undefined {
  if (types.has(name)) {
    return `${quoted(name)} is a type, which does not exist at run time. Write: import type { ${name} } from ${quoted(specifier)}`;
  }
  const names = [...values].filter((exported) => exported !== "default");
  const similar = similarName(name, names);
  if (similar !== undefined) return `Did you mean ${quoted(similar)}?`;
  const similarType = similarName(name, [...types]);
  if (similarType !== undefined) return `Did you mean the type ${quoted(similarType)}? Import it with import type.`;
  return names.length === 0 ? "It exports nothing." : `It exports ${enumerate(names)}.`;
}

function missingAttribute(path: string, root: string): Failure {
  const location = findImporter(root, path);
  const specifier = location?.specifier ?? projectPath(path, root);
  return {
    message: `The import of ${quoted(specifier)} does not say that the file is JSON.`,
    locations: location === undefined ? [] : [location],
    hint: `Write: import … from ${quoted(specifier)} with { type: "json" }`,
  };
}

function invalidManifest(path: string, root: string): Failure {
  const text = readSource(path);
  const problem = jsonProblem(text);
  const position = Number(/ at position (\d+)/.exec(problem)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  return {
    message: `${projectPath(path, root)} is not valid JSON: ${problem.replace(/ \(line \d+ column \d+\)$/, "")}.`,
    locations: [{ file: path, line: before.length, column: (before.at(-1) ?? "").length + 1 }],
  };
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return "its fields have other types than Node expects";
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Returns the most similar name, whatever its case. */
function similarName(name: string, names: readonly string[]): string | undefined {
  const byLowerCase = new Map(names.map((candidate) => [candidate.toLowerCase(), candidate]));
  const [similar] = suggest(name, [...byLowerCase.keys()]);
  return similar === undefined ? undefined : byLowerCase.get(similar);
}

/** Returns the column of a name in the line of a location, if it stands there. */
function columnOf({ file, line, column }: SourceLocation, name: string): number | undefined {
  const text = readSource(file).split("\n")[line - 1] ?? "";
  const index = text.search(new RegExp(String.raw`(?<![\w$])${name.replaceAll("$", String.raw`\$`)}(?![\w$])`));
  return index === -1 ? column : index + 1;
}

interface Manifest {
  readonly name?: string;
  readonly exports?: object;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

function parseManifest(path: string): Manifest {
  try {
    return JSON.parse(readSource(path)) as Manifest;
  } catch {
    return {};
  }
}

const maxNames = 8;

function enumerate(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(quoted);
  const others = names.length > maxNames ? [`${names.length - maxNames} more`] : [];
  return [...shown, ...others].join(", ");
}

const quoted = (text: string): string => JSON.stringify(text);

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
