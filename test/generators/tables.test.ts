// The generators list the tables of models in service/service.ts, where the migration service compares them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../sources.ts";
import { testProject } from "./project.ts";

const path = "service/service.ts";
const note = ["gen.model", "note", "title:string", "--wire"] as const;
const longNames = [
  "conversations",
  "organizations",
  "registrations",
  "notifications",
  "subscriptions",
  "applications",
  "transactions",
];

const calls: readonly (readonly [form: string, options: string, expected: string])[] = [
  ["one line", "{ database, migrations }", "{\n  database,\n  migrations,\n  tables: () => [notes],\n}"],
  [
    "several lines",
    '{\n  database,\n  migrations,\n  onPending: "run",\n}',
    '{\n  database,\n  migrations,\n  onPending: "run",\n  tables: () => [notes],\n}',
  ],
  [
    "tables on one line",
    "{ database, migrations, tables: () => [tags] }",
    "{\n  database,\n  migrations,\n  tables: () => [tags, notes],\n}",
  ],
  [
    "tables in the middle",
    "{\n  database,\n  tables: () => [\n    tags,\n  ],\n  migrations,\n}",
    "{\n  database,\n  tables: () => [\n    tags,\n    notes,\n  ],\n  migrations,\n}",
  ],
  [
    "a list that becomes too long",
    `{\n  database,\n  migrations,\n  tables: () => [${longNames.join(", ")}, tags],\n}`,
    `{\n  database,\n  migrations,\n  tables: () => [\n    ${longNames.join(",\n    ")},\n    tags,\n    notes,\n  ],\n}`,
  ],
];

for (const [form, options, expected] of calls) {
  test(`--wire adds the table of a model, and gen.undo removes it: ${form}`, async () => {
    using project = testProject();
    const text = project.read(path).replace("{ database, migrations }", options);
    project.write(path, text);
    assert.equal((await project.run(...note)).code, 0);
    const wired = project.read(path);
    const call = `export const migration = Migration.service(${expected});\nexport const token`;
    assert.ok(wired.includes(call), wired);
    assert.match(wired, /^import \{ notes \} from "\.\.\/app\/domain\/note\/repository\.ts";$/m);
    await project.run(...note, "--force");
    assert.equal(project.read(path), wired);
    for (const _ of [1, 2]) await project.run("gen.undo");
    assert.equal(project.read(path), text);
  });
}

test("tables that are not listed in place are left to the user", async () => {
  using project = testProject();
  for (const options of ["{ database, migrations, tables }", "options"]) {
    project.write(path, `export const migration = Migration.service(${options});\n`);
    const { stdout } = await project.run(...note, "--force");
    assert.match(
      stdout,
      /^Add to service\/service\.ts:\n\n {2}import \{ notes \} .*\n\n.*tables: \(\) => \[.* notes\]/m,
    );
  }
});

test("a table whose name the services use is refused", async () => {
  using project = testProject();
  project.write(path, `${project.read(path)}export const notes = Token.memory();\n`);
  const { code, stderr } = await project.run(...note);
  assert.equal(code, 1);
  assert.match(stderr, /"notes" cannot be the name of a table: service\/service\.ts uses it/);
});

test("migrate diff compares the tables of generated models with the database", async () => {
  using project = testProject();
  symlinkSync(join(root, "node_modules"), join(project.root, "node_modules"));
  for (const argv of [
    ["gen.model", "tag", "name:string:unique"],
    ["gen.model", "task", "title:string", "parent:task?", "tags:many(tag)"],
  ]) {
    const { code, stderr } = await project.run(...argv, "--wire");
    assert.equal(code, 0, stderr);
  }
  const migrate = (...argv: string[]): string => {
    const env = { ...process.env, FRAMEWORK_ENV: "development", DATABASE_URL: "tasks.sqlite", LOG_LEVEL: "error" };
    const args = ["--conditions=@limmat/source", "run/run.ts", "migrate", ...argv];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.root, env, encoding: "utf8" });
    return stdout + stderr;
  };
  assert.match(migrate(), /Applied/);
  assert.equal(migrate("diff", "--check"), "-- The database has the described tables.\n");
  const entity = "app/domain/task/entity.ts";
  const field = "  title: Schema.string({ min: 1, trim: true }),\n";
  project.write(entity, project.read(entity).replace(field, `${field}  hint: Schema.optional(Schema.string()),\n`));
  assert.match(migrate("diff"), /alter table "?tasks"? add column "?hint"?/);
});
