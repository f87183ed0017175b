// Test files of the repository, and the rule that divides them into groups.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Path of the repository. */
export const root: string = resolve(import.meta.dirname, "../..");

/** Folders whose tests other commands run: new projects run those of the template (test/new-project). */
export const excludedFolders: readonly string[] = ["template"];

/** Group of a test file: see `test/README.md`. */
export type TestGroup = "short" | "examples" | "long" | "nightly";

/** Returns the group of a test file. The endings and the folder `examples` are the whole rule. */
export function groupOf(path: string): TestGroup {
  if (path.endsWith(".nightly.test.ts")) return "nightly";
  if (path.endsWith(".long.test.ts")) return "long";
  return path.startsWith("examples/") ? "examples" : "short";
}

/** Returns true if `npm test` runs a part of the rounds of a short test file: it imports `test/rounds.ts`. */
export const hasRounds = (path: string): boolean =>
  groupOf(path) === "short" && /^import .*\/rounds\.ts";$/m.test(readFileSync(join(root, path), "utf8"));

/**
 * Returns the group of the second job of a test file, with `HTTP_SERVER=node`; `undefined` if it has none. Files that take
 * longer, or depend less on the server, are long ones then.
 */
export function nodeGroupOf(path: string): TestGroup | undefined {
  if (!/^(?:src\/http\/server|test\/attack)\//.test(path)) return undefined;
  const isQuick =
    /^(?:src\/http\/server|test\/attack\/http)\/[^/]+$/.test(path) &&
    !/\/(?:chunk-client|live|load-shedder|smuggling|tiny-chunks)\.test\.ts$/.test(path);
  const group = groupOf(path);
  return group === "short" && !isQuick ? "long" : group;
}

/** Returns the file that runs a test file: itself, or `all.ts` of its folder, which runs all tests of an application. */
export function runnerOf(path: string): string {
  const all = `${dirname(path)}/all.ts`;
  return existsSync(join(root, all)) ? all : path;
}

/** Returns the paths of all files that run tests, from the root, sorted. */
export function testFiles(): readonly string[] {
  // Names of folders, at any depth.
  const generated = new Set(["node_modules", "dist", "coverage", "tmp"]);
  const paths = globSync("**/*.test.ts", { cwd: root, exclude: (path) => generated.has(basename(path)) })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !excludedFolders.includes(path.split("/")[0] ?? ""));
  return [...new Set(paths.map(runnerOf))].toSorted();
}

/** Returns true if a word selects a file: a part of its path, such as a module or a folder. */
export function isSelected(path: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => path.toLowerCase().includes(word.toLowerCase()));
}
