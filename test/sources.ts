import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder of the repository. */
export const root: string = resolve(import.meta.dirname, "..");

/** One import of a file. */
export interface Import {
  /** As it is written: `../core/index.ts`, `node:fs`. */
  readonly specifier: string;
  /** The file that it names, from the repository's folder; `undefined` for packages. */
  readonly file: string | undefined;
  /** Whether nothing is left of it at run time. */
  readonly isType: boolean;
}

/** One file of ours. */
export interface Source {
  /** From the repository's folder: `src/core/index.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const statement = /^(?:import|export)\s(?<type>type\s)?(?:[^;"']*?\sfrom\s)?["'](?<specifier>[^"']+)["']/gm;
const dynamic = /\bimport\(\s*["'](?<specifier>[^"']+)["']/g;

/** Reads the files that a pattern names, sorted by path. */
export function sources(pattern: string): Source[] {
  return globSync(pattern, { cwd: root, exclude: (path) => path.includes("node_modules") })
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

/** The published sources: all of `src/` that is no test. */
export function published(): Source[] {
  return sources("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
}

function importsOf(path: string, text: string): Import[] {
  const found = [...text.matchAll(statement), ...withoutComments(text).matchAll(dynamic)];
  return found.map(({ groups }) => {
    const specifier = groups?.["specifier"] ?? "";
    return {
      specifier,
      file: specifier.startsWith(".") ? join(dirname(path), specifier) : undefined,
      isType: groups?.["type"] !== undefined,
    };
  });
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
