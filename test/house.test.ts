// The rules of ARCHITECTURE.md, "The floors", and of CONTRIBUTING.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { published, type Source } from "./sources.ts";

const floors: readonly (readonly string[])[] = [
  ["core"],
  ["config", "log", "random", "time", "cleaner", "html", "email-address", "token-bucket", "inflection"],
  ["schema"],
  ["database", "web"],
  ["services"],
  ["cli"],
  ["app"],
  ["testing", "index.ts"],
];

// Rooms of one floor that build on each other nevertheless, and those that may use less than all floors below.
const neighbours: Readonly<Record<string, readonly string[]>> = {
  config: ["time"],
  log: ["time", "config"],
  cleaner: ["config"],
  "index.ts": ["testing"],
};
const only: Readonly<Record<string, readonly string[]>> = {
  cli: [...(floors[0] ?? []), ...(floors[1] ?? [])],
  app: ["core", "config", "log", "time", "cli"],
};

const roomOf = (path: string): string => path.split("/")[1] ?? "";
const floorOf = (room: string): number => floors.findIndex((rooms) => rooms.includes(room));
const files = published();

function mayImport(from: string, to: string): boolean {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (own === other) return own !== "services" || mayImportService(from, to);
  if (own === "services" && other === "web") return from.endsWith("/web.ts");
  if (own in only) return only[own]?.includes(other) === true;
  return floorOf(other) < floorOf(own) || neighbours[own]?.includes(other) === true;
}

const serviceOf = (path: string): string => path.split("/")[2] ?? "";
const mayImportService = (from: string, to: string): boolean => serviceOf(from) === serviceOf(to);
const isContract = (path: string): boolean => path.startsWith("src/services/") && path.endsWith("/contract.ts");

/** The first circle in a graph, as a path. */
function circle(graph: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const finished = new Set<string>();
  const visit = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(" → ");
    if (finished.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found !== undefined) return found;
    }
    finished.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

const offences = (rule: (file: Source) => readonly string[]): string[] =>
  files.flatMap((file) => rule(file).map((what) => `${file.path}: ${what}`));

test("every room stands on a floor", () => {
  assert.deepEqual(
    [...new Set(files.map(({ path }) => roomOf(path)))].filter((room) => floorOf(room) === -1),
    [],
  );
});

test("imports point down, at run time and by type", () => {
  const upward = offences(({ path, imports }) =>
    imports
      .filter(({ file, isType }) => file !== undefined && !mayImport(path, file) && !(isType && isContract(file)))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(upward, []);
});

test("no file imports itself in a circle at run time, and no room even by type", () => {
  const byFile = new Map<string, Set<string>>();
  const byRoom = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const { file, isType } of imports) {
      if (file === undefined) continue;
      const rooms = [path, file].map((each) => (isContract(each) ? each : roomOf(each)));
      if (!isType) byFile.set(path, (byFile.get(path) ?? new Set()).add(file));
      const [own = "", other = ""] = rooms;
      if (own !== other) byRoom.set(own, (byRoom.get(own) ?? new Set()).add(other));
    }
  }
  assert.equal(circle(byFile), undefined);
  assert.equal(circle(byRoom), undefined);
});

test("a room is entered by its door, or by the door of one of its folders", () => {
  const allowed = (path: string): boolean =>
    path.endsWith("/index.ts") || isContract(path) || path === "src/core/limmat-error.ts";
  const around = offences(({ path, imports }) =>
    imports
      .filter(({ file }) => file !== undefined && roomOf(file) !== roomOf(path) && !allowed(file))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(around, []);
});

test("only Node and the two run-time dependencies are imported, but by backends", () => {
  const known = /^(?:node:|@standard-schema\/spec$|croner$)/;
  const isBackend = (path: string): boolean => /^src\/(?:database|services\/[^/]+)\/[^/]+\//.test(path);
  const foreign = offences(({ path, imports }) =>
    imports
      .filter(({ specifier, file }) => file === undefined && !known.test(specifier) && !isBackend(path))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(foreign, []);
});

test("published sources import no test and no tool of tests", () => {
  const testing = offences(({ imports }) =>
    imports
      .filter(({ specifier }) => specifier.endsWith(".test.ts") || ["node:test", "fast-check"].includes(specifier))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(testing, []);
});

test("a file is a page: at most 400 lines", () => {
  assert.deepEqual(
    offences(({ text }) => (text.split("\n").length > 401 ? [`has ${text.split("\n").length} lines`] : [])),
    [],
  );
});

test("no check is silenced, and nothing is any", () => {
  const silence = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable(?!.* -- \w)|(?:as|:|<) any\b/;
  const silenced = offences(({ text }) =>
    text
      .split("\n")
      .filter((line) => silence.test(line) && !/^\s*(?:\*|\/\/ (?!@|oxlint|eslint))/.test(line))
      .map((line) => line.trim()),
  );
  assert.deepEqual(silenced, []);
});

test("a script of a fresh clone runs on the Node that it has just installed", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: Record<string, string> };
  // A shell remembers where it found a program: a second "node" in one line is that of the machine again.
  const lines = Object.entries(scripts).filter(([, script]) => /tools\/ready\.mjs\b.*&&\s*node\b/.test(script));
  assert.deepEqual(lines, []);
});
