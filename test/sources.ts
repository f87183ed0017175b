import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Path of the repository. */
export const root: string = resolve(import.meta.dirname, "..");

/** Import in a file. */
export interface Import {
  /** Specifier as written: `../core/index.ts`, `node:fs`. */
  readonly specifier: string;
  /** Imported file, relative to the repository; `undefined` for packages. */
  readonly file: string | undefined;
  /** True if the import is erased at run time. */
  readonly isType: boolean;
}

/** Source file. */
export interface Source {
  /** Path relative to the repository: `src/core/index.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const statement = /^(?:import|export)\s(?<type>type\s)?(?:[^;"']*?\sfrom\s)?["'](?<specifier>[^"']+)["']/gm;
const dynamic = /\bimport\(\s*["'](?<specifier>[^"']+)["']/g;

/** Reads the files that match a glob pattern, sorted by path. */
export function sources(pattern: string): Source[] {
  return globSync(pattern, { cwd: root, exclude: (path) => path.includes("node_modules") })
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

/** Returns the published sources: all files of `src/` except tests. */
export function published(): Source[] {
  return sources("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
}

/** Returns the sources of the packages beside the framework, except tests. */
export function packaged(): Source[] {
  return sources("packages/*/src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
}

function importsOf(path: string, text: string): Import[] {
  const matches = [...text.matchAll(statement), ...withoutComments(text).matchAll(dynamic)];
  return matches.map(({ groups }) => {
    const specifier = groups?.["specifier"] ?? "";
    return {
      specifier,
      file: specifier.startsWith(".") ? join(dirname(path), specifier) : undefined,
      isType: groups?.["type"] !== undefined,
    };
  });
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
