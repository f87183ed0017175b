import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readSource } from "./find-import.ts";

/** Names that a module exports. */
export interface ExportedNames {
  /** Names that exist at run time. */
  readonly values: ReadonlySet<string>;
  /** Names of types, which type stripping removes. */
  readonly types: ReadonlySet<string>;
}

const declarationPattern =
  /^\s*export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|var|function\*?|class|type|interface)\s+([\w$]+)/gm;
const listPattern = /^\s*export\s+(type\s+)?\{([^}]*)\}/gm;
const starPattern = /^\s*export\s+(type\s+)?\*\s+(?:as\s+([\w$]+)\s+)?from\s+["']([^"']+)["']/gm;

/** Returns the exports of the module that `specifier` names in the file `importer`. */
export async function exportedNames(specifier: string, importer: string): Promise<ExportedNames> {
  const names = { values: new Set<string>(), types: new Set<string>() };
  if (/^(?:\.|\/|file:)/.test(specifier)) {
    const path = specifier.startsWith("file:") ? new URL(specifier).pathname : resolve(dirname(importer), specifier);
    collectExports(path, names, new Set());
    return names;
  }
  try {
    // A package is imported, because its files may be bundled. This process ends with the failure anyway.
    const path = specifier.startsWith("node:") ? specifier : createRequire(importer).resolve(specifier);
    const url = path.startsWith("node:") ? path : pathToFileURL(path).href;
    for (const name of Object.keys((await import(url)) as object)) names.values.add(name);
    const declarations = path.endsWith(".ts") ? path : path.replace(/\.([cm]?)js$/, ".d.$1ts");
    collectExports(declarations, { values: new Set(), types: names.types }, new Set());
    for (const name of names.values) names.types.delete(name);
  } catch {
    // The package has another problem: no name is suggested.
  }
  return names;
}

interface MutableNames {
  readonly values: Set<string>;
  readonly types: Set<string>;
}

/** Collects the exports of a source file by its text: importing it would run it. */
function collectExports(file: string, names: MutableNames, visited: Set<string>): void {
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
  for (const [, typeKeyword, alias, specifier = ""] of text.matchAll(starPattern)) {
    if (alias !== undefined) add(alias, typeKeyword !== undefined);
    else if (specifier.startsWith(".")) {
      const path = resolve(dirname(file), specifier);
      collectExports(file.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path, names, visited);
    }
  }
  if (/^\s*export\s+default\b/m.test(text)) names.values.add("default");
}
