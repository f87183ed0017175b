// The rules of ARCHITECTURE.md, "Layers", and of CONTRIBUTING.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { packaged, published, type Source } from "./sources.ts";

const layers: readonly (readonly string[])[] = [
  ["core"],
  [
    "authorization",
    "cleaner",
    "config",
    "decimal",
    "email-address",
    "html",
    "inflection",
    "language",
    "lease",
    "log",
    "mail-layout",
    "media-type",
    "outbound",
    "password",
    "random",
    "secret",
    "time",
    "token-bucket",
  ],
  ["schema", "http"],
  ["database", "table", "policy", "migration", "web"],
  ["services"],
  ["program", "project"],
  ["workers", "development", "generators"],
  ["cli"],
  ["app"],
  ["testing", "entry-points", "index.ts"],
];

// Modules that import another module of their own layer.
const sameLayer: Readonly<Record<string, readonly string[]>> = {
  config: ["time"],
  log: ["time", "config"],
  cleaner: ["config"],
  language: ["config", "html", "time"],
  lease: ["log", "time"],
  "mail-layout": ["html", "language"],
  outbound: ["config", "time"],
  password: ["config", "language", "random"],
  random: ["time"],
  secret: ["config", "random", "time"],
  table: ["database"],
  policy: ["database", "table"],
  migration: ["database", "table"],
  "index.ts": ["testing"],
};
const lowestLayers = [...(layers[0] ?? []), ...(layers[1] ?? [])];
// Modules that import less than all layers below.
const restricted: Readonly<Record<string, readonly string[]>> = {
  program: lowestLayers,
  project: lowestLayers,
  workers: [...lowestLayers, "program"],
  development: [...lowestLayers, "program"],
  // Generators describe tables to write the migrations that create them.
  generators: [...lowestLayers, "program", "project", "schema", "database", "table"],
  cli: [...lowestLayers, "program", "project", "workers", "development", "generators"],
  app: ["core", "config", "log", "time", "program", "project", "workers", "cli"],
};
// Files that other modules import although they are no entry point: they keep start-up small.
const internalEntryPoints: readonly string[] = [
  "src/core/limmat-error.ts",
  "src/core/stack.ts",
  "src/config/internal.ts",
];

const moduleOf = (path: string): string => path.split("/")[1] ?? "";
const layerOf = (module: string): number => layers.findIndex((modules) => modules.includes(module));
const serviceOf = (path: string): string => path.split("/")[2] ?? "";
const isContract = (path: string): boolean => /^src\/services\/[^/]+\/contract\.ts$/.test(path);
const isWebOfService = (path: string): boolean => /^src\/services\/[^/]+\/web\//.test(path);
const files = published();

function mayImport(from: string, to: string): boolean {
  const [module, other] = [moduleOf(from), moduleOf(to)];
  if (module === "services" && other === "services") {
    return (
      serviceOf(from) === serviceOf(to) && (isWebOfService(from) || from.endsWith("/index.ts") || !isWebOfService(to))
    );
  }
  if (module === other) return true;
  if (module === "services" && (other === "web" || other === "http")) return isWebOfService(from);
  if (module in restricted) return restricted[module]?.includes(other) === true;
  return layerOf(other) < layerOf(module) || sameLayer[module]?.includes(other) === true;
}

/** Returns the first cycle of a graph, as a path. */
function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const finished = new Set<string>();
  const visit = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(" → ");
    if (finished.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Returns the strongly connected components of a graph that have more than one node (Tarjan, 1972). */
function components(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const [indexes, lowest, stack, result] = [new Map<string, number>(), new Map<string, number>(), [""], [[""]]];
  stack.length = 0;
  result.length = 0;
  const visit = (node: string): void => {
    indexes.set(node, indexes.size);
    lowest.set(node, indexes.get(node) ?? 0);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== indexes.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) result.push(component);
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return result;
}

const allFiles = [...files, ...packaged()];
const offences = (rule: (file: Source) => readonly string[], sources: readonly Source[] = files): string[] =>
  sources.flatMap((file) => rule(file).map((offence) => `${file.path}: ${offence}`));

test("every module has a layer", () => {
  assert.deepEqual(
    [...new Set(files.map(({ path }) => moduleOf(path)))].filter((module) => layerOf(module) === -1),
    [],
  );
});

test("imports point to lower layers, at run time and by type", () => {
  const upward = offences(({ path, imports }) =>
    imports
      .filter(({ file, isType }) => file !== undefined && !mayImport(path, file) && !(isType && isContract(file)))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(upward, []);
});

test("no cycle of files at run time, and no cycle of modules even by type", () => {
  const byFile = new Map<string, Set<string>>();
  const byModule = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const { file, isType } of imports) {
      if (file === undefined) continue;
      const [module = "", other = ""] = [path, file].map((end) => (isContract(end) ? end : moduleOf(end)));
      if (!isType) byFile.set(path, (byFile.get(path) ?? new Set()).add(file));
      if (module !== other) byModule.set(module, (byModule.get(module) ?? new Set()).add(other));
    }
  }
  assert.equal(findCycle(byFile), undefined);
  assert.equal(findCycle(byModule), undefined);
});

test("a cycle of files by type has at most two files", () => {
  const graph = new Map(
    files.map(({ path, imports }) => [path, new Set(imports.flatMap(({ file }) => file ?? []))] as const),
  );
  assert.deepEqual(
    components(graph).filter(({ length }) => length > 2),
    [],
  );
});

test("a module is imported through its entry point, or the entry point of one of its folders", () => {
  const isEntryPoint = (path: string): boolean =>
    path.endsWith("/index.ts") || isContract(path) || internalEntryPoints.includes(path);
  // The public entry points export from the files that define the names.
  const others = files.filter(({ path }) => moduleOf(path) !== "entry-points");
  const around = offences(
    ({ path, imports }) =>
      imports
        .filter(({ file }) => file !== undefined && moduleOf(file) !== moduleOf(path) && !isEntryPoint(file))
        .map(({ specifier }) => `imports ${specifier}`),
    others,
  );
  assert.deepEqual(around, []);
});

test("only backends and the bundler of assets import packages other than Node and the two run-time dependencies", () => {
  const known = /^(?:node:|@standard-schema\/spec$|croner$)/;
  const isBackend = (path: string): boolean =>
    /^src\/(?:database\/[^/]+|html\/markdown|language\/messageformat|password\/[^/]+|services\/[^/]+\/(?:store|transport)\/[^/]+|development\/assets)\//.test(
      path,
    );
  const foreign = offences(({ path, imports }) =>
    imports
      .filter(({ specifier, file }) => file === undefined && !known.test(specifier) && !isBackend(path))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(foreign, []);
});

test("a package imports its own files, its dependencies, and the framework through entry points", () => {
  const foreign = offences(({ path, imports }) => {
    const folder = path.split("/").slice(0, 2).join("/");
    const manifest = readFileSync(`${folder}/package.json`, "utf8");
    const { dependencies } = JSON.parse(manifest) as { readonly dependencies: Readonly<Record<string, string>> };
    const isDependency = (specifier: string): boolean =>
      Object.keys(dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`));
    return imports
      .filter(({ specifier, file }) =>
        file === undefined
          ? !specifier.startsWith("node:") && !isDependency(specifier)
          : !file.startsWith(`${folder}/src/`),
      )
      .map(({ specifier }) => `imports ${specifier}`);
  }, packaged());
  assert.deepEqual(foreign, []);
});

test("published sources import no test and no test library", () => {
  const testing = offences(({ imports }) =>
    imports
      .filter(({ specifier }) => specifier.endsWith(".test.ts") || ["node:test", "fast-check"].includes(specifier))
      .map(({ specifier }) => `imports ${specifier}`),
  );
  assert.deepEqual(testing, []);
});

test("a file has at most 400 lines", () => {
  assert.deepEqual(
    offences(({ text }) => (text.split("\n").length > 401 ? [`has ${text.split("\n").length} lines`] : []), allFiles),
    [],
  );
});

test("process-wide state is listed in ARCHITECTURE.md: at most 25 variables and collections", () => {
  const declaration = /^(?:export )?(?:let (\w+)|const (\w+)\b[^\n]* = new (?:Weak)?(?:Map|Set)(?:<[^\n]*>)?\(\))/gm;
  const declared = offences(({ text }) =>
    [...text.matchAll(declaration)].map(([, variable, collection]) => variable ?? collection ?? ""),
  );
  const [, section = ""] = readFileSync("ARCHITECTURE.md", "utf8").split("## Process-wide state\n");
  const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| `(src\/[^`]+)` *\| ((?:`\w+`(?:, )?)+)/gm);
  const listed = [...rows].flatMap(([, path, names = ""]) =>
    [...names.matchAll(/\w+/g)].map(([name]) => `${path}: ${name}`),
  );
  assert.deepEqual(listed.toSorted(), declared.toSorted());
  assert.ok(declared.length <= 25, `${declared.length}`);
});

test("no check is silenced, and nothing is any", () => {
  const silence = /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable(?!.* -- \w)|(?:as|:|<) any\b/;
  const silenced = offences(
    ({ text }) =>
      text
        .split("\n")
        .filter((line) => silence.test(line) && !/^\s*(?:\/?\*|\/\/ (?!@|oxlint|eslint))/.test(line))
        .map((line) => line.trim()),
    allFiles,
  );
  assert.deepEqual(silenced, []);
});

test("an npm script that installs Node runs nothing on the Node of before", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: Record<string, string> };
  // A shell caches the path of a program: a second "node" in one line is the machine's own.
  const lines = Object.entries(scripts).filter(([, script]) => /tools\/ready\.mjs\b.*&&\s*node\b/.test(script));
  assert.deepEqual(lines, []);
});
