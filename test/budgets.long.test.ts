// Limits of what the framework costs an application. Counts instead of times, as counts are equal on every machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { install, packFramework } from "./new-project/package.ts";
import { root } from "./sources.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-budgets-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const installed = join(folder, "node_modules/limmat");
{
  using packed = packFramework();
  install(folder, packed.tarball);
}

const kB = 1000;
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, encoding: "utf8" });

test("at most 3 packages are installed, none with an install script", () => {
  const names = new Set<string>();
  const visit = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const folderOfPackage = name === "limmat" ? root : join(root, "node_modules", name);
    const { dependencies = {}, scripts = {} } = JSON.parse(
      readFileSync(join(folderOfPackage, "package.json"), "utf8"),
    ) as {
      readonly dependencies?: Readonly<Record<string, string>>;
      readonly scripts?: Readonly<Record<string, string>>;
    };
    for (const hook of ["preinstall", "install", "postinstall"]) assert.equal(scripts[hook], undefined, name);
    for (const dependency of Object.keys(dependencies)) visit(dependency);
  };
  visit("limmat");
  assert.ok(names.size <= 3, [...names].join(", "));
});

test("the package without its documentation takes at most 3.4 MB on disk", () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.startsWith(join(installed, "docs")),
  );
  const size = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  assert.ok(size > 500 * kB && size <= 3400 * kB, `${size} bytes`);
});

test("a request to the JSON route allocates at most 2 kB more than plain node:http", () => {
  const flags = [
    "--expose-gc",
    "--min-semi-space-size=512",
    "--max-semi-space-size=512",
    "--no-concurrent-recompilation",
  ];
  const env = { FRAMEWORK_ENV: "test", LOG_LEVEL: "error", PORT: "0", CHECK_CSRF: "true" };
  const json = run(["--conditions=@limmat/source", ...flags, join(root, "test/fixtures/allocations.ts")], env);
  const { bare, limmat } = JSON.parse(json) as { readonly bare: number; readonly limmat: number };
  assert.ok(bare > 1 * kB, `${bare} bytes`);
  assert.ok(limmat - bare <= 2 * kB, `${limmat} bytes, and ${bare} with plain node:http`);
});

test("each of 500 routes costs the type checker at most 300 instantiations and 40 types", () => {
  symlinkSync(join(root, "node_modules/@types"), join(folder, "types"));
  const options = { module: "nodenext", target: "esnext", strict: true, noEmit: true, types: ["node"] };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, typeRoots: ["types"] }, files: ["routes.ts"] }),
  );
  const [small, large] = [countTypes(1), countTypes(501)];
  const perRoute = (key: string): number => ((large.get(key) ?? 0) - (small.get(key) ?? 0)) / 500;
  assert.ok((small.get("Types") ?? 0) > 0 && perRoute("Types") > 0);
  assert.ok(perRoute("Instantiations") <= 300, `${perRoute("Instantiations")} instantiations`);
  assert.ok(perRoute("Types") <= 40, `${perRoute("Types")} types`);
});

/** Returns the statistics of the type checker for an application with this many routes. */
function countTypes(routes: number): ReadonlyMap<string, number> {
  const lines = Array.from(
    { length: routes },
    (_, index) =>
      `  Web.get("/r${index}/:id/items/:item", ({ params }) => Web.Response.json([params.id, params.item])),\n`,
  );
  const text = `import { Web } from "limmat";\nexport const router = Web.choose([\n${lines.join("")}]);\n`;
  writeFileSync(join(folder, "routes.ts"), text);
  const statistics = run([join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--extendedDiagnostics"]);
  return new Map([...statistics.matchAll(/^(\w+):\s+(\d+)$/gm)].map(([, key = "", count]) => [key, Number(count)]));
}
