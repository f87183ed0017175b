// The published package: packed, installed in an empty folder, imported and type-checked.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { otherPackages } from "../tools/package.ts";
import { extractPackage, packFramework } from "./new-project/package.ts";
import { root } from "./sources.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-package-"));
const installed = join(folder, "node_modules/limmat");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly exports: object };
const entryPoints = Object.keys(exports)
  .filter((name) => name !== "./package.json")
  .map((name) => name.replace(/^\./, "limmat"));

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program, and returns its standard output. A failure throws with its standard error. */
function run(program: string, args: readonly string[], cwd: string): string {
  // Without the settings that npm passes to scripts of the repository, and the compile cache of the test runner.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_|^NODE_COMPILE/i.test(key)));
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

before(() => {
  using framework = packFramework();
  // Installs the repository's copies of the dependencies. An offline install from the npm cache depends on the npm version.
  const linked = ["@standard-schema/spec", "croner"].map((name) => [name, `file:${join(root, "node_modules", name)}`]);
  const dependencies = { ...Object.fromEntries(linked), limmat: `file:${framework.tarball}` };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies }));
  run("npm", ["install", "--offline", "--ignore-scripts", "--install-links", "--no-audit", "--no-fund"], folder);
});

test("npm makes no package without its parts from a clone", () => {
  const others = otherPackages.map((name) => join(root, "packages", name));
  for (const path of [root, join(root, "create-limmat"), ...others]) {
    for (const args of [["pack"], ["pack", "--ignore-scripts=false"], ["publish", "--dry-run"]]) {
      assert.throws(() => run("npm", args, path), /npm error/, `npm ${args.join(" ")} in ${path}`);
    }
    assert.deepEqual(globSync("*.tgz", { cwd: path }), []);
  }
});

test("the package contains JavaScript and declarations, but no test and no source", () => {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
  // The files of new projects include tests.
  const packageFiles = files.filter((path) => !/^(?:stubs|template)(?:[/\\]|$)/.test(path));
  const testFiles = packageFiles.filter((path) => /(?:^|[./])(?:test|bench|fixtures?)s?(?:[./]|$)/.test(path));
  assert.deepEqual(testFiles, []);
  assert.deepEqual(
    packageFiles.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts")),
    [],
  );
  for (const path of ["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"]) {
    assert.ok(existsSync(join(installed, path)), path);
  }
});

test("every entry point can be imported in plain Node and exports the names of its source", () => {
  writeFileSync(
    join(folder, "entry-points.mjs"),
    `const names = {};
     for (const entryPoint of ${JSON.stringify(entryPoints)}) names[entryPoint] = Object.keys(await import(entryPoint)).sort();
     console.log(JSON.stringify(names));`,
  );
  const names = JSON.parse(run(process.execPath, ["entry-points.mjs"], folder)) as Record<string, readonly string[]>;
  const listed = JSON.parse(readFileSync(join(root, "test/entry-points.snapshot.json"), "utf8")) as typeof names;
  for (const [entryPoint, exportedNames] of Object.entries(names)) {
    const expected = (listed[entryPoint.replace("limmat", ".")] ?? []).filter((name) => !/[. ]/.test(name));
    assert.ok(expected.length > 0, entryPoint);
    assert.deepEqual(exportedNames, expected.toSorted(), entryPoint);
  }
});

test("the contract of databases runs from its package", () => {
  using framework = packFramework();
  extractPackage(folder, "limmat-contracts", framework.others.get("limmat-contracts"));
  writeFileSync(
    join(folder, "contract.test.ts"),
    `import * as runner from "node:test";
     import { sqlite } from "limmat/database/sqlite";
     import { databaseContract } from "limmat-contracts";
     const url = "sqlite:contract.sqlite";
     databaseContract("sqlite", { make: (options) => sqlite({ url, ...options }), url: () => url, isShort: true }, runner);`,
  );
  assert.match(run(process.execPath, ["--test", "contract.test.ts"], folder), /pass [1-9]\d{2}\n[^]*fail 0\n/);
});

test("an application runs from the package", () => {
  writeFileSync(
    join(folder, "run.ts"),
    `import { App, Command } from "limmat";
     const greet = Command.make({
       name: "greet",
       description: "Greets",
       run: ([name = "you"], { output }) => (output.print("hello " + name), Command.done),
     });
     await App.create({ services: [], commands: [greet] }).run();`,
  );
  assert.equal(run(process.execPath, ["run.ts", "greet", "world"], folder), "hello world\n");
});

test("the command limmat runs the application of a project once, and caches compiled code", () => {
  const program = join(folder, "node_modules/.bin/limmat");
  const greet = (text: string): string => {
    mkdirSync(join(folder, "run"), { recursive: true });
    writeFileSync(join(folder, "run/run.ts"), text);
    return run(process.execPath, [program, "greet", "world"], join(folder, "run"));
  };
  const application = readFileSync(join(folder, "run.ts"), "utf8").replace(
    /await (.*)\.run\(\);/s,
    "export const app = $1;",
  );
  assert.equal(greet(`${application}\nif (import.meta.main) await app.run();`), "hello world\n");
  assert.equal(greet(`${application}\nawait app.run();`), "hello world\n");
  assert.equal(greet(application.replace("export ", "").concat("\nawait app.run();")), "hello world\n");
  assert.ok(existsSync(join(folder, "node_modules/.cache/limmat")));
  assert.match(run(process.execPath, [program, "help"], folder), /^Usage: npx limmat <command>/);
});

test("deployments run from their package", () => {
  using framework = packFramework();
  extractPackage(folder, "limmat-deploy", framework.others.get("limmat-deploy"));
  const program = join(folder, "node_modules/limmat-deploy/bin/limmat-deploy.mjs");
  const deploy = (...args: readonly string[]): string => run(process.execPath, [program, ...args], join(folder, "run"));
  assert.match(deploy("--help"), /^Usage: npx limmat deploy \[setup[^]*deploy rollback \[--to=<release>\]/);
  assert.throws(() => deploy("--name=shop"), /E_DEPLOY_HOST.*No host is given/);
  assert.throws(() => run(process.execPath, [program], tmpdir()), /This is not a limmat project/);
});

test("an import of the package loads at most 20 files", () => {
  writeFileSync(
    join(folder, "count.mjs"),
    `import { registerHooks } from "node:module";
     let files = 0;
     registerHooks({ load: (url, context, next) => ((files += url.startsWith("file:") ? 1 : 0), next(url, context)) });
     await import("limmat");
     await import("limmat/database/sqlite");
     console.log(files);`,
  );
  const files = Number(run(process.execPath, ["count.mjs"], folder));
  assert.ok(files > 0 && files <= 20, `${files} files`);
});

test("an entry point whose library is not installed names the package to install", () => {
  writeFileSync(
    join(folder, "missing.mjs"),
    `import { kysely } from "limmat/database/kysely";
     import { mariadb } from "limmat/database/mariadb";
     import { postgresql } from "limmat/database/postgresql";
     import { renderMarkdown } from "limmat/markdown";
     import { messageFormat } from "limmat/messageformat";
     const attempts = [
       () => kysely(mariadb()),
       () => mariadb({ url: "mariadb://localhost/app" }).start({ services: [] }),
       () => postgresql({ url: "postgresql://localhost/app" }).start({ services: [] }),
       () => renderMarkdown("a"),
       () => messageFormat("a", "en", "a"),
     ];
     for (const attempt of attempts) {
       try { await attempt(); } catch ({ code, message }) { console.log(code, message.match(/npm install .*/)?.[0]); }
     }`,
  );
  const installs = ["kysely@0.29", "mariadb@3", "pg@8"].map(
    (name) => `E_DATABASE_DRIVER_MISSING npm install ${name}\n`,
  );
  installs.push(
    "E_MARKDOWN_LIBRARY_MISSING npm install markdown-it@15\n",
    "E_LANGUAGE_LIBRARY_MISSING npm install messageformat@4\n",
  );
  assert.equal(run(process.execPath, ["missing.mjs"], folder), installs.join(""));
});

test("the declarations of every entry point pass a strict type check", () => {
  // The declarations of limmat/database/kysely refer to the types of kysely.
  symlinkSync(join(root, "node_modules/kysely"), join(folder, "node_modules/kysely"));
  const imports = entryPoints.map((entryPoint, index) => `import * as entryPoint${index} from "${entryPoint}";`);
  const uses = entryPoints.map((_, index) => `export const use${index}: object = entryPoint${index};`);
  writeFileSync(join(folder, "use.ts"), [...imports, ...uses].join("\n"));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2024",
        module: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        typeRoots: [join(root, "node_modules/@types")],
        types: ["node"],
      },
      files: ["use.ts", "run.ts"],
    }),
  );
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], folder);
});
