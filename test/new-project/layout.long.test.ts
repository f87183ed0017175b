// The import rules of a new project's layout: `no-restricted-imports` in template/.oxlintrc.json.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";

/** Violation of a rule, as oxlint prints it. */
interface Violation {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Lints a project of these files with the template's configuration. Returns `path:line` of each restricted import. */
function lint(files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "limmat-layout-"));
  folders.push(folder);
  cpSync(join(root, "template/.oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const oxlint = join(root, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Violation[] };
  return diagnostics
    .filter(({ code }) => code.includes("no-restricted-imports"))
    .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`)
    .sort();
}

const violations: readonly (readonly [violation: string, path: string, text: string])[] = [
  ["the domain imports a view", "app/domain/todo/todo.ts", 'import { page } from "../../../web/view/todo.ts";'],
  ["the domain imports a type of the web", "app/domain/todo/todo.ts", 'import type { Request } from "limmat/web";'],
  ["the domain imports Web", "app/domain/todo/todo.ts", 'import { ok, Web } from "limmat";'],
  ["the domain imports HTML", "app/domain/todo/todo.ts", 'import { html } from "limmat/html";'],
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
  ["an entity describes a table", "app/domain/todo/entity.ts", 'import { Table } from "limmat/table";'],
  ["a repository imports a view", "app/domain/todo/repository.ts", 'import { page } from "../../../web/view/todo.ts";'],
  ["an entity logs", "app/domain/todo/entity.ts", 'import { Log, Schema } from "limmat";'],
  ["a view imports the application", "web/view/todo.ts", 'import { app } from "../../run/run.ts";'],
  ["the domain imports the routes", "app/domain/todo/todo.ts", 'import "../../../routes/routes.ts";'],
  ["a mail imports a view", "app/mail/order.ts", 'import { page } from "../../web/view/order.ts";'],
  ["a mail imports Web", "app/mail/order.ts", 'import { Email, Web } from "limmat";'],
  ["a mail reads a table", "app/mail/order.ts", 'import { orders } from "../domain/order/repository.ts";'],
  ["a service imports App", "service/service.ts", 'import { App } from "limmat";'],
];

for (const [violation, path, text] of violations) {
  test(`reports the line of a violation: ${violation}`, () => {
    assert.deepEqual(lint({ [path]: `// A comment\n\n${text}\n` }), [`${path}:3`]);
  });
}

test("accepts a project that follows the layout", () => {
  assert.deepEqual(
    lint({
      "app/domain/todo/entity.ts":
        'import { Schema, Time } from "limmat";\nimport type { Table } from "limmat/table";\n' +
        'import type { todos } from "./repository.ts";\nimport { schema } from "../user/entity.ts";\nimport slug from "some-package";\n',
      "app/domain/todo/repository.ts":
        'import { sql } from "limmat/database";\nimport { users } from "../user/repository.ts";\n' +
        'import { schema } from "./entity.ts";\n',
      "app/domain/todo/todo.ts":
        'import * as repository from "./repository.ts";\nimport * as User from "../user/user.ts";\n',
      "app/domain/todo/job.ts": 'import { todoAdded } from "../../mail/todo-added.ts";\n',
      "app/job/todo-mail.ts": 'import { todoAdded } from "../mail/todo-added.ts";\n',
      "app/mail/todo-added.ts":
        'import { Email } from "limmat";\nimport { html } from "limmat/html";\n' +
        'import type { Todo } from "../domain/todo/todo.ts";\n',
      "web/handler/todo.ts": 'import { Web } from "limmat";\nimport * as Todo from "../../app/domain/todo/todo.ts";\n',
      "web/view/link.ts": 'import type { router } from "../../routes/routes.ts";\n',
      "web/admin/todo.ts": 'import { todos } from "../../app/domain/todo/repository.ts";\n',
      "service/service.ts": 'import { todos } from "../app/domain/todo/repository.ts";\n',
      "run/run.ts": 'import { App } from "limmat";\nimport { router } from "../routes/routes.ts";\n',
      "test/todo.test.ts":
        'import { app } from "../run/run.ts";\nimport { find } from "../app/domain/todo/repository.ts";\n',
    }),
    [],
  );
});

test("ignores imports in comments", () => {
  const text = '// import { page } from "../../../web/view/todo.ts";\n/* import "limmat/web"; */\n';
  assert.deepEqual(lint({ "app/domain/todo/todo.ts": text }), []);
});
