import assert from "node:assert/strict";
import { test } from "node:test";
import { isReload, limmatProject, navigation, type ProjectFiles, startSession } from "./development-session.test.ts";

const migrationsWith = (steps: string): string => `
import { Migration } from "limmat";
import { sqlite } from "limmat/database/sqlite";
export const database = sqlite({ url: "dev.sqlite" });
const notes = Migration.make("notes", [${steps}]);
export const services = [database, Migration.service({ database, migrations: [notes] })];
`;
const createNotes = 'Migration.step("create table notes", "create table notes (title text not null)")';
const addDone = 'Migration.step("add done", "alter table notes add done int")';

const files: ProjectFiles = {
  ...limmatProject,
  "service/service.ts": migrationsWith(createNotes),
  "routes/routes.ts": `
import { Web } from "limmat";
import { Row, sql } from "limmat/database";
import { database } from "../service/service.ts";
export const router = Web.choose([
  Web.get("/", () => Web.Response.text("start")),
  Web.get("/notes", async () => Web.Response.json(await database.find(sql.value(Row.int)\`select count(*) from notes\`))),
]);
`,
};

const tokenOf = (page: string): string => /name="token" value="([\w-]+)"/.exec(page)?.[1] ?? "";
const formOf = (page: string, path: string): string => new URLSearchParams({ token: tokenOf(page), path }).toString();

test("shows pending migrations as a page whose button runs them", async () => {
  await using project = await startSession(files);
  const page = await project.get("/notes?sort=title", navigation);
  assert.equal(page.status, 503);
  assert.match(page.body, /notes 1 &quot;create table notes&quot;/);
  assert.match(page.body, /<form method="post" action="\/__limmat\/migrate">/);
  assert.match(page.body, /name="path" value="\/notes\?sort=title"/);
  const form = formOf(page.body, "/notes?sort=title");
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    origin: project.url,
    "sec-fetch-site": "same-origin",
  };
  const migrated = await project.post("/__limmat/migrate", form, headers);
  assert.deepEqual([migrated.status, migrated.headers.get("location")], [303, "/notes?sort=title"]);
  const notes = await project.get("/notes", navigation);
  assert.deepEqual([notes.status, notes.body], [200, "0"]);
});

test("runs no migration for another site, without a token, or for a GET (CSRF)", async () => {
  await using project = await startSession(files);
  const { body } = await project.get("/", navigation);
  const form = formOf(body, "/");
  const sameOrigin = { origin: project.url, "sec-fetch-site": "same-origin" };
  for (const [sent, headers] of [
    [form, { ...sameOrigin, origin: "http://evil.test" }],
    [form, { ...sameOrigin, "sec-fetch-site": "cross-site" }],
    [form, { ...sameOrigin, "sec-fetch-site": "same-site" }],
    [form, { "sec-fetch-site": "same-origin" }],
    ["path=/", sameOrigin],
    ["token=x&path=/", sameOrigin],
    [`token=${"x".repeat(20_000)}`, sameOrigin],
  ] as const) {
    assert.equal((await project.post("/__limmat/migrate", sent, headers)).status, 403, JSON.stringify(headers));
  }
  assert.equal((await project.get("/__limmat/migrate")).status, 404);
  assert.equal((await project.get("/", navigation)).status, 503);
  // The redirect stays on this site.
  for (const path of ["https://evil.test/", "//evil.test/", "/\\evil.test/", "/.//evil.test/"]) {
    const { headers } = await project.post("/__limmat/migrate", formOf(body, path), sameOrigin);
    assert.equal(headers.get("location"), "/", path);
  }
});

test("notices migrations that were run in the terminal, and leaves other requests alone", async () => {
  await using project = await startSession(files);
  assert.equal((await project.get("/", { accept: "application/json" })).body, "start");
  assert.equal((await project.get("/", navigation)).status, 503);
  const { DatabaseSync } = await import("node:sqlite");
  const { spawnSync } = await import("node:child_process");
  const { status } = spawnSync(
    process.execPath,
    [...process.execArgv.filter((arg) => arg.startsWith("--conditions")), "run/run.ts", "migrate"],
    {
      cwd: project.root,
    },
  );
  assert.equal(status, 0);
  new DatabaseSync(`${project.root}/dev.sqlite`).close();
  assert.equal((await project.get("/", navigation)).body.startsWith("start"), true);
});

test("shows the error of a migration that fails, and runs it again after a change", async () => {
  const broken = 'Migration.step("create table notes", "create tabel notes (title text)")';
  await using project = await startSession({ ...files, "service/service.ts": migrationsWith(broken) });
  const { body } = await project.get("/", navigation);
  const headers = { origin: project.url, "sec-fetch-site": "same-origin" };
  const failed = await project.post("/__limmat/migrate", formOf(body, "/"), headers);
  assert.deepEqual([failed.status, failed.headers.get("location")], [303, "/"]);
  const failurePage = await project.get("/", navigation);
  assert.equal(failurePage.status, 500);
  assert.match(failurePage.body, /The migration failed[^]*E_MIGRATION_FAILED[^]*tabel[^]*<button>Migrate/);
  assert.match(project.stderr(), /E_MIGRATION_FAILED/);
  project.write("service/service.ts", migrationsWith(createNotes));
  await project.nextEvent(isReload);
  assert.equal((await project.post("/__limmat/migrate", formOf(body, "/"), headers)).status, 303);
  assert.equal((await project.get("/", navigation)).status, 200);
});

test("migrates before the first start with --migrate, and asks for later steps", async () => {
  await using project = await startSession(files, { migratesAtStart: true });
  assert.equal((await project.get("/notes", navigation)).status, 200);
  project.write("service/service.ts", migrationsWith(`${createNotes}, ${addDone}`));
  await project.nextEvent(isReload);
  const page = await project.get("/notes", navigation);
  assert.equal(page.status, 503);
  assert.match(page.body, /notes 2 &quot;add done&quot;/);
  assert.doesNotMatch(page.body, /create table notes/);
});

test("shows an error at load before the first migration, and goes on when it is corrected", async () => {
  await using project = await startSession(
    { ...files, "run/run.ts": 'import "./missing.ts";' },
    { migratesAtStart: true },
  );
  assert.match((await project.get("/", navigation)).body, /imports &quot;\.\/missing\.ts&quot;/);
  project.write("run/run.ts", files["run/run.ts"] ?? "");
  await project.nextEvent(isReload);
  assert.equal((await project.get("/notes", navigation)).status, 200);
});
