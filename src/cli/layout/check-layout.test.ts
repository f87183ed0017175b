import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { App } from "../../app/index.ts";
import { type CommandResult, runCommand } from "../../testing/index.ts";

/** Runs `check.layout` on a project of these files. */
async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CommandResult> {
  const root = mkdtempSync(join(tmpdir(), "limmat-layout-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return await runCommand(App.create({ root, services: [] }), "check.layout", ...args);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const violations: readonly (readonly [violation: string, path: string, text: string])[] = [
  ["the domain imports a view", "app/domain/todo/todo.ts", 'import { page } from "../../../web/view/todo.ts";'],
  ["the domain imports a type of the web", "app/domain/todo/todo.ts", 'import type { Request } from "limmat/web";'],
  ["the domain imports Web", "app/domain/todo/todo.ts", 'import { ok, Web } from "limmat";'],
  [
    "the domain loads HTML when it needs it",
    "app/domain/todo/todo.ts",
    'const { html } = await import("limmat/html");',
  ],
  ["a service uses another's repository", "app/domain/todo/todo.ts", 'import * as User from "../user/repository.ts";'],
  ["a handler uses a repository", "web/handler/todo.ts", 'import { find } from "../../app/domain/todo/repository.ts";'],
  ["a repository is re-exported", "app/command/todo.ts", 'export * from "../domain/todo/repository.ts";'],
  ["an entity reads files", "app/domain/todo/entity.ts", 'import { readFileSync } from "node:fs";'],
  ["an entity imports the database", "app/domain/todo/entity.ts", 'import { sql } from "limmat/database";'],
  [
    "an entity imports a service",
    "app/domain/todo/entity.ts",
    'import { database } from "../../../service/service.ts";',
  ],
  ["an entity imports its repository", "app/domain/todo/entity.ts", 'import { find } from "./repository.ts";'],
  ["an entity logs", "app/domain/todo/entity.ts", 'import { Log, Schema } from "limmat";'],
  ["a view imports the application", "web/view/todo.ts", 'import { app } from "../../run/run.ts";'],
  ["the domain imports the routes", "app/domain/todo/todo.ts", 'import "../../../routes/routes.ts";'],
  ["a service imports App", "service/service.ts", 'import { App } from "limmat";'],
];

for (const [violation, path, text] of violations) {
  test(`reports the line of a violation: ${violation}`, async () => {
    const { code, stdout, stderr } = await check({ [path]: `// A comment\n\n${text}\n` });
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^${path.replaceAll(".", "\\.")}:3 {2}`));
    assert.match(stderr, /E_LAYOUT/);
  });
}

test("accepts a project that follows the layout", async () => {
  const { code, stdout } = await check({
    "app/domain/todo/entity.ts":
      'import { Schema, Time } from "limmat";\nimport type { Database } from "limmat/database";\n' +
      'import { schema } from "../user/entity.ts";\nimport slug from "some-package";\n',
    "app/domain/todo/repository.ts":
      'import { sql } from "limmat/database";\nimport { database } from "../../../service/service.ts";\n',
    "app/domain/todo/todo.ts":
      'import * as repository from "./repository.ts";\nimport * as User from "../user/user.ts";\n',
    "web/handler/todo.ts": 'import { Web } from "limmat";\nimport * as Todo from "../../app/domain/todo/todo.ts";\n',
    "run/run.ts": 'import { App } from "limmat";\nimport { router } from "../routes/routes.ts";\n',
    "test/todo.test.ts":
      'import { app } from "../run/run.ts";\nimport { find } from "../app/domain/todo/repository.ts";\n',
  });
  assert.deepEqual([code, stdout], [0, "The imports follow the layout rules."]);
});

test("ignores imports in comments", async () => {
  const text = '// import { page } from "../../../web/view/todo.ts";\n/* import "limmat/web"; */\n';
  assert.equal((await check({ "app/domain/todo/todo.ts": text })).code, 0);
});

test("reports the first line of an import over several lines", async () => {
  const text = 'import {\n  type Request,\n  Response,\n} from "limmat/web";\n';
  const { stdout } = await check({ "app/domain/todo/todo.ts": text });
  assert.match(stdout, /^app\/domain\/todo\/todo\.ts:1 /);
});

test("prints violations as JSON with --json", async () => {
  const { code, stdout } = await check({ "service/service.ts": 'import { App } from "limmat";' }, "--json");
  assert.equal(code, 1);
  const [violation] = JSON.parse(stdout) as { readonly path: string; readonly line: number }[];
  assert.deepEqual([violation?.path, violation?.line], ["service/service.ts", 1]);
});
