// Builds the published package into `dist`: declarations by tsc, and JavaScript in few files, which halves the start time
// (docs/decisions/008). An argument names another folder than `dist`.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build, type Plugin } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const dist = resolve(root, process.argv[2] ?? "dist");

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly "@limmat/source": string; readonly default: string }>>;
}

/** Programs that `bin/limmat.mjs` imports or starts as a child process. */
const programs = ["./src/development/child.ts", "./src/development/describe-failure.ts", "./src/development/index.ts"];

/** Program of `create-limmat`. It runs on Node 18 and later, because the new project installs the required Node. */
const creator = "src/generators/new/new-project.ts";

/** Returns the sources of the entry points and the programs, by output name. */
function bundleInputs(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Package;
  const entryPoints = Object.values(exports).filter((entryPoint) => typeof entryPoint !== "string");
  const sources = [...entryPoints.map((entryPoint) => entryPoint["@limmat/source"]), ...programs];
  return Object.fromEntries(
    sources.map((source) => [source.slice("./src/".length, -".ts".length), join(root, source)]),
  );
}

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
const tscArguments = [tsc, "-p", "tsconfig.build.json", "--outDir", dist];
const { status } = spawnSync(process.execPath, tscArguments, { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
removeUnreachableDeclarations();

/** Deletes the declarations that no entry point refers to: those of files that only other files of the package import. */
function removeUnreachableDeclarations(): void {
  const reachable = new Set<string>();
  const visit = (path: string): void => {
    // A path in an example of a doc comment names no file.
    if (reachable.has(path) || !existsSync(path)) return;
    reachable.add(path);
    const references = readFileSync(path, "utf8").matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)\.[jt]s"/g);
    for (const [, target = ""] of references) visit(join(dirname(path), `${target}.d.ts`));
  };
  const names = Object.entries(bundleInputs()).filter(
    ([, path]) => !programs.some((name) => path === join(root, name)),
  );
  for (const [name] of names) visit(join(dist, `${name}.d.ts`));
  for (const path of globSync(join(dist, "**/*.d.ts"))) if (!reachable.has(path)) rmSync(path);
}

/** Files that `import "limmat"` loads statically. */
const staticImports = new Set<string>();
const collectStaticImports: Plugin = {
  name: "collect static imports",
  buildEnd() {
    const visit = (id: string): void => {
      if (staticImports.has(id)) return;
      staticImports.add(id);
      this.getModuleInfo(id)?.importedIds.forEach(visit);
    };
    visit(join(root, "src/index.ts"));
  },
};

/** Modules of layers 0 and 1, except `html`. They share one chunk. */
const baseModules = new Set([
  "authorization",
  "cleaner",
  "config",
  "core",
  "decimal",
  "email-address",
  "inflection",
  "lease",
  "log",
  "media-type",
  "outbound",
  "password",
  "program",
  "random",
  "secret",
  "time",
  "token-bucket",
]);

/** Returns the chunk of a file: one for each module of `src`, but one for all base modules. */
function chunkName(id: string): string | null {
  const [, module] = /\/src\/([\w-]+)\//.exec(id) ?? [];
  if (module === undefined || !staticImports.has(id)) return null;
  return baseModules.has(module) ? "base" : module;
}

const common = {
  platform: "node",
  // Packages are resolved where limmat is installed.
  external: /^[^./]/,
  logLevel: "warn",
  // Leaves out the comments that name the source of each part of a chunk.
  experimental: { attachDebugInfo: "none" },
} as const;

await build({
  ...common,
  input: bundleInputs(),
  plugins: [collectStaticImports],
  // An entry point can be a file that other modules import. Its exports stay those of its source (test/package.long.test.ts).
  preserveEntrySignatures: "allow-extension",
  output: {
    dir: dist,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { jsdoc: false },
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkName, debugName: "modules" }] },
  },
});

// One file without the chunks of the framework: an older Node cannot parse their syntax, nor find all of their imports.
await build({
  ...common,
  input: join(root, creator),
  transform: { target: "node18" },
  output: { file: join(dist, "generators/new/new-project.js"), comments: { jsdoc: false } },
});
