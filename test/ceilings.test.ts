// The size of the project. Only a numbered decision raises a ceiling (docs/decisions/030-ceilings.md).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root, sources } from "./sources.ts";

/** Lines and files of programs, without tests. */
interface Size {
  readonly lines: number;
  readonly files: number;
}

const ceilings = JSON.parse(readFileSync(join(root, "test/ceilings.json"), "utf8")) as {
  readonly modules: Readonly<Record<string, Size>>;
  readonly stubLines: number;
  readonly entryPoints: number;
  readonly exportedNames: number;
  readonly documentWords: number;
};

const programs = [...sources("src/**/*.ts"), ...sources("packages/*/src/**/*.ts")].filter(
  ({ path }) => !path.endsWith(".test.ts"),
);
/** Returns `database` for `src/database/sql.ts`, and `limmat-contracts` for a file of that package. */
const moduleOf = (path: string): string => path.split("/")[1] ?? "";
const countLines = (text: string): number => text.split("\n").length - 1;

test("no module is above its ceiling of lines and files", () => {
  const sizes: Record<string, Size> = {};
  for (const { path, text } of programs) {
    const { lines, files } = (sizes[moduleOf(path)] ??= { lines: 0, files: 0 });
    sizes[moduleOf(path)] = { lines: lines + countLines(text), files: files + 1 };
  }
  assert.deepEqual(Object.keys(sizes).sort(), Object.keys(ceilings.modules).sort());
  const higher = Object.entries(sizes).filter(([name, { lines, files }]) => {
    const ceiling = ceilings.modules[name] ?? { lines: 0, files: 0 };
    return lines > ceiling.lines || files > ceiling.files;
  });
  assert.deepEqual(Object.fromEntries(higher), {});
});

test("stubs, entry points, exported names and documents are below their ceilings", () => {
  const listed = (pattern: string): readonly string[] =>
    execFileSync("git", ["ls-files", "--", pattern], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const textsOf = (pattern: string): readonly string[] =>
    listed(pattern).map((path) => readFileSync(join(root, path), "utf8"));
  const exported = JSON.parse(readFileSync(join(root, "test/entry-points.snapshot.json"), "utf8")) as Readonly<
    Record<string, readonly string[]>
  >;
  const { modules: _, ...others } = ceilings;
  const sizes: typeof others = {
    stubLines: sum(textsOf("stubs/*").map(countLines)),
    entryPoints: Object.keys(exported).length,
    exportedNames: sum(Object.values(exported).map((names) => names.length)),
    documentWords: sum(textsOf("*.md").map((text) => text.match(/\S+/g)?.length ?? 0)),
  };
  const higher = Object.entries(sizes).filter(([name, size]) => size > others[name as keyof typeof others]);
  assert.deepEqual(Object.fromEntries(higher), {});
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
