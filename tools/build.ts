// Builds what is published into `dist`: declarations by tsc, and JavaScript in few files, which start in half the time
// (docs/decisions/008). An argument names another folder than `dist`.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const dist = resolve(root, process.argv[2] ?? "dist");

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly "@limmat/source": string; readonly default: string }>>;
}

/** What `bin/limmat.mjs` loads, and what it starts as a process of its own. */
const programs = ["./src/cli/dev/child.ts", "./src/cli/dev/develop.ts", "./src/cli/new/new-project.ts"];

/** The doors and the programs. */
function entries(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Package;
  const doors = Object.values(exports).filter((door) => typeof door !== "string");
  const sources = [...doors.map((door) => door["@limmat/source"]), ...programs];
  return Object.fromEntries(
    sources.map((source) => [source.slice("./src/".length, -".ts".length), join(root, source)]),
  );
}

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
const declarations = [tsc, "-p", "tsconfig.build.json", "--outDir", dist];
const { status } = spawnSync(process.execPath, declarations, { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

/** The modules that `import "limmat"` loads at once: those that are reached without a dynamic import. */
const atOnce = new Set<string>();
const findAtOnce: Plugin = {
  name: "find what is loaded at once",
  buildEnd() {
    const visit = (id: string): void => {
      if (atOnce.has(id)) return;
      atOnce.add(id);
      this.getModuleInfo(id)?.importedIds.forEach(visit);
    };
    visit(join(root, "src/index.ts"));
  },
};

/** The file of a module: one for each room, but one for all services, and one for floors 0 and 1 without HTML. */
function fileOf(id: string): string | null {
  const [, room] = /\/src\/([\w-]+)\//.exec(id) ?? [];
  if (room === undefined || !atOnce.has(id)) return null;
  return ["core", "config", "log", "random", "time", "cleaner", "email-address", "token-bucket", "inflection"].includes(
    room,
  )
    ? "base"
    : room;
}

await build({
  input: entries(),
  plugins: [findAtOnce],
  // Doors may be files of a room that others use, too; what they export stays what their sources say (test/package.test.ts).
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  // What is no file of ours is resolved where the package is installed.
  external: /^[^./]/,
  logLevel: "warn",
  output: {
    dir: dist,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { jsdoc: false },
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: fileOf, debugName: "rooms" }] },
  },
});
