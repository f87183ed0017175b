// The command `assets`, and the links of `Web.asset` to the files that it writes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { App, Configuration, Web } from "limmat";
import { type CommandResult, fakeClock, runCommand } from "limmat/testing";
import { ConfigurationInternals } from "../src/config/index.ts";

let root = "";
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const built = (): readonly string[] => readdirSync(join(root, "public/built")).sort();

/** Creates an application of the folder, in an environment. */
const application = (environment = "production"): ReturnType<typeof App.create> => {
  ConfigurationInternals.reset();
  ConfigurationInternals.setProjectRoot(root);
  Configuration.store([
    ["FRAMEWORK_ENV", environment],
    ["FRAMEWORK_SECRET", "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFG"],
    ["ALLOWED_HOSTS", "localhost"],
  ]);
  const middlewares = Web.Middleware.site();
  const router = Web.choose([Web.get("/", () => Web.Response.text("home"))], { middlewares });
  return App.create({ root, services: [Web.Http.service({ router })] });
};
const buildAssets = (): Promise<CommandResult> => runCommand(application(), "assets");

const rules = Array.from({ length: 100 }, (_, index) => `.a${index} { width: ${index}px }`).join("\n");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "limmat-assets-"));
  write("public/plain.css", "a {}");
  write(
    "resources/site.css",
    '@import "./parts/colors.css";\nbody { background: url("./parts/dot.svg"), url(/assets/x.png) }',
  );
  write("resources/parts/colors.css", `a { color: red }\n${rules}`);
  write("resources/parts/dot.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  write("resources/site.ts", 'const lazy = await import("./parts/lazy.ts");\ndocument.title = lazy.title;');
  write("resources/parts/lazy.ts", "export const title: string = `lazy`;");
  write("resources/assets.d.ts", "export {};");
  write("resources/site.test.ts", "import 'node:test';");
});
afterEach(() => {
  ConfigurationInternals.reset();
  rmSync(root, { recursive: true, force: true });
});

test("assets writes minified files with fingerprints, which Web.asset links", async () => {
  const { code, stdout } = await buildAssets();
  assert.equal(code, 0);
  assert.match(stdout, /^public\/built\/site-[A-Z2-7]{8}\.js {2}\d+\.\d kB$/m);
  const names = built().map((name) => name.replace(/-[A-Z2-7]{8}\./, "."));
  assert.deepEqual(names.toSorted(), [
    ".manifest.json",
    "dot.svg",
    "lazy.js",
    "site.css",
    "site.css.br",
    "site.css.gz",
    "site.js",
  ]);
  assert.match(Web.asset("site.js"), /^\/assets\/built\/site-[A-Z2-7]{8}\.js$/);
  assert.match(Web.asset("site.css"), /^\/assets\/built\/site-[A-Z2-7]{8}\.css$/);
  assert.match(Web.asset("plain.css"), /^\/assets\/plain\.css\?v=/);
  const css = read(`public${Web.asset("site.css").replace("/assets", "")}`);
  assert.match(css, /^a\{color:red\}[^]*url\("?\.\/dot-[A-Z2-7]{8}\.svg"?\),url\(\/assets\/x\.png\)/);
  for (const [ending, decompress] of [
    [".br", brotliDecompressSync],
    [".gz", gunzipSync],
  ] as const) {
    const file = built().find((name) => name.endsWith(ending)) ?? "";
    assert.equal(decompress(readFileSync(join(root, "public/built", file))).toString(), css);
  }
});

test("the server lets browsers keep the built files for a year, and never serves the manifest", async () => {
  await buildAssets();
  const app = application();
  const immutable = "public, max-age=31536000, immutable";
  const chunk = built().find((name) => name.startsWith("lazy")) ?? "";
  for (const path of [Web.asset("site.js"), Web.asset("site.css"), `/assets/built/${chunk}`]) {
    const response = await app.request(path);
    assert.deepEqual([path, response.status, response.headers.get("cache-control")], [path, 200, immutable]);
  }
  assert.equal((await app.request("/assets/built/.manifest.json")).status, 404);
});

test("a changed source gets a new name, and the old files are deleted", async () => {
  using clock = fakeClock();
  await buildAssets();
  write("public/built/own.txt", "kept");
  const [first, style] = [Web.asset("site.js"), Web.asset("site.css")];
  write("resources/parts/lazy.ts", "export const title: string = `changed`;");
  await buildAssets();
  await clock.advance(1000);
  assert.notEqual(Web.asset("site.js"), first);
  assert.equal(Web.asset("site.css"), style);
  assert.equal(built().filter((name) => name.endsWith(".js")).length, 2);
  assert.ok(existsSync(join(root, "public/built/own.txt")));
});

test("a build with errors shows the place, and leaves the files of the last one", async () => {
  await buildAssets();
  const before = built();
  write("resources/parts/lazy.ts", "export const title: string = ;");
  const { code, stderr } = await buildAssets();
  assert.equal(code, 1);
  assert.match(stderr, /E_ASSETS_BUILD[^]*resources\/parts\/lazy\.ts:1:29/);
  assert.deepEqual(built(), before);
});

test("a style sheet that a script imports has the name of the script", async () => {
  rmSync(join(root, "resources/site.css"));
  write("resources/site.ts", 'import "./parts/colors.css";\nconsole.log(1);');
  write("resources/page.tsx", "/** @jsxImportSource ./parts */\nconsole.log(2);");
  assert.equal((await buildAssets()).code, 0);
  assert.match(read(`public${Web.asset("site.css").replace("/assets", "")}`), /a\{color:red\}/);
  assert.match(Web.asset("page.js"), /^\/assets\/built\/page-/);
});

test("a style sheet that the script of its name imports is part of the style sheet of the script", async () => {
  using clock = fakeClock();
  write("resources/parts/base.css", "p { margin: 0 }");
  const styles = async (): Promise<string> => {
    const { code, stderr } = await buildAssets();
    assert.equal(code, 0, stderr);
    await clock.advance(1000);
    return read(`public${Web.asset("site.css").replace("/assets", "")}`);
  };
  assert.doesNotMatch(await styles(), /p\{/);
  for (const importer of ["site.ts", "parts/styles.ts"]) {
    write("resources/site.ts", 'import "./parts/base.css";\nimport "./parts/styles.ts";');
    write("resources/parts/styles.ts", "export {};");
    const text = importer === "site.ts" ? 'import "./parts/base.css";\nimport "./site.css";' : 'import "../site.css";';
    write(`resources/${importer}`, text);
    assert.match(await styles(), importer === "site.ts" ? /p\{margin:0\}a\{color:red\}/ : /a\{color:red\}/);
    assert.equal(built().filter((name) => name.endsWith(".css")).length, 1);
  }
  write("resources/site.ts", 'import "./parts/base.css";');
  assert.match(
    (await buildAssets()).stderr,
    /resources\/site\.(?:ts|css) and resources\/site\.(?:ts|css) are the asset/,
  );
});

test("warnings of the bundler are shown, and the files are written", async () => {
  write("resources/site.ts", "export const isZero = (value: number): boolean => value === -0;");
  const { code, stderr } = await buildAssets();
  assert.equal(code, 0);
  assert.match(stderr, /WARNING[^]*resources\/site\.ts:1:60/);
});

test("a package that a script imports, and comments with its license, are part of the bundle", async () => {
  write("node_modules/dep/package.json", '{ "name": "dep", "type": "module", "exports": "./index.js" }');
  write("node_modules/dep/index.js", "/*! License of dep */\nexport const dep = 'from dep';");
  write("resources/site.ts", 'import { dep } from "dep";\ndocument.title = dep;');
  assert.equal((await buildAssets()).code, 0);
  const script = read(`public${Web.asset("site.js").replace("/assets", "")}`);
  assert.match(script, /from dep[^]*License of dep/);
  assert.doesNotMatch(script, /sourceMappingURL/);
});

test("assets takes no arguments", async () => {
  assert.equal((await runCommand(application(), "assets", "more")).code, 2);
});

test("code for the server does not get into a bundle", async () => {
  write("resources/site.ts", 'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("/etc/passwd"));');
  assert.match((await buildAssets()).stderr, /Could not resolve "node:fs"/);
  write("resources/site.ts", 'import dot from "./parts/dot.svg";\nconsole.log(dot);');
  assert.match((await buildAssets()).stderr, /Only a style sheet can refer to this file/);
});

test("two files of one name are refused", async () => {
  write("public/site.css", "a {}");
  assert.match(
    (await buildAssets()).stderr,
    /public\/site\.css and resources\/site\.css are the asset "site\.css".*E_ASSETS_NAME|E_ASSETS_NAME.*public\/site\.css/s,
  );
  rmSync(join(root, "public/site.css"));
  write("resources/site.tsx", "console.log(1);");
  assert.match((await buildAssets()).stderr, /resources\/site\.ts and resources\/site\.tsx are the asset "site\.js"/);
});

test("a project without sources builds nothing and needs no bundler", async () => {
  rmSync(join(root, "resources"), { recursive: true });
  const { code, stderr } = await buildAssets();
  assert.equal(code, 1);
  assert.match(stderr, /E_ASSETS_NONE/);
  assert.equal(existsSync(join(root, "public/built")), false);
});

test("a project with sources and without esbuild learns what to install", () => {
  const code = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier !== "esbuild") return next(specifier, context);
        throw Object.assign(new Error("Cannot find package 'esbuild'"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { App } = await import("limmat");
    await App.create({ root: ${JSON.stringify(root)}, services: [] }).run(["assets"]);`;
  const flags = ["--conditions=@limmat/source", "--input-type=module", "-e", code];
  const { status, stderr } = spawnSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /E_ASSETS_BUNDLER[^]*resources\/site\.css[^]*npm install --save-dev --save-exact esbuild/);
});

test("Web.asset links files that are not built in tests only", () => {
  application("test");
  assert.equal(Web.asset("site.js"), "/assets/built/site.js");
  assert.throws(() => Web.asset("nope.js"), { code: "E_ASSET_MISSING" });
  assert.throws(() => Web.asset("parts/lazy.js"), { code: "E_ASSET_MISSING" });
});

test("Web.asset says what to do if a file is not built in production", () => {
  application();
  assert.throws(() => Web.asset("site.js"), /resources\/site\.ts is not built\. Run the command "assets"/);
});

test("Web.asset links the development server behind it", () => {
  application("development");
  Configuration.store([["DEVELOPMENT_ASSETS", "/__limmat/assets"]]);
  assert.equal(Web.asset("site.css"), "/__limmat/assets/site.css");
  assert.match(Web.asset("plain.css"), /^\/assets\/plain\.css\?v=/);
});
