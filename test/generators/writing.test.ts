import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { testProject } from "./project.ts";

const note = ["sqlite", "note", "title:string"] as const;

test("a dry run names the files and writes none", async () => {
  using project = testProject();
  const before = project.files();
  const { code, stdout, stderr } = await project.run("gen.html", ...note, "--wire", "--dry-run");
  assert.equal(code, 0);
  assert.match(stdout, /^created {6}app\/domain\/note\/entity\.ts$/m);
  assert.match(stdout, /^edited {7}routes\/routes\.ts$/m);
  assert.match(stderr, /Nothing was written/);
  assert.deepEqual(project.files(), before);
});

test("files that are there are named and left alone, and none of the others is written", async () => {
  using project = testProject();
  project.write("web/view/note.ts", "// mine\n");
  const before = project.files();
  const { code, stderr } = await project.run("gen.html", ...note, "--wire");
  assert.equal(code, 1);
  assert.match(stderr, /web\/view\/note\.ts[^]*--force/);
  assert.deepEqual(project.files(), before);
});

test("--force overwrites them, but never what several models share", async () => {
  using project = testProject();
  project.write("web/view/note.ts", "// mine\n");
  project.write("web/view/form.ts", "// mine too\n");
  const { code, stdout } = await project.run("gen.html", ...note, "--force");
  assert.equal(code, 0);
  assert.match(stdout, /^overwritten {2}web\/view\/note\.ts$/m);
  assert.match(project.read("web/view/note.ts"), /^import/);
  assert.equal(project.read("web/view/form.ts"), "// mine too\n");
});

test("what several models share is written where it is missing", async () => {
  using project = testProject();
  project.remove("web/view/list.ts");
  await project.run("gen.view", "note", "title:string");
  assert.match(project.read("web/view/list.ts"), /searchForm/);
});

test("a failure half-way undoes what was written before it", async () => {
  using project = testProject();
  // A folder where the last file should go: replacing it fails after the others are in place.
  mkdirSync(join(project.root, "test/note-pages.test.ts/in-the-way"), { recursive: true });
  const before = project.files();
  const { code } = await project.run("gen.html", ...note, "--wire", "--force");
  assert.equal(code, 1);
  assert.deepEqual(project.files(), before);
});

test("without --wire, the route and the migration are printed, to be added by hand", async () => {
  using project = testProject();
  const before = project.read("routes/routes.ts");
  const { stdout } = await project.run("gen.html", ...note);
  assert.match(stdout, /Add to database\/migration\.ts:\n\n {2}import \{ notes \} from "\.\/migration\/notes\.ts";/);
  assert.match(stdout, /Add to routes\/routes\.ts:[^]*\.\.\.Web\.Rest\.resourceOfService\(\{ name: "notes",/);
  assert.match(stdout, /npm run app migrate/);
  assert.equal(project.read("routes/routes.ts"), before);
});

test("--wire prints what it cannot add, and adds the rest", async () => {
  using project = testProject();
  project.write("routes/routes.ts", "export const router = somethingElse();\n");
  const { code, stdout } = await project.run("gen.html", ...note, "--wire");
  assert.equal(code, 0);
  assert.match(stdout, /Add to routes\/routes\.ts:/);
  assert.equal(project.read("routes/routes.ts"), "export const router = somethingElse();\n");
  assert.match(project.read("database/migration.ts"), /\[greetings, notes\]/);
});

test("wiring twice adds nothing twice", async () => {
  using project = testProject();
  await project.run("gen.html", ...note, "--wire");
  const before = project.files();
  assert.equal((await project.run("gen.html", ...note, "--wire", "--force")).code, 0);
  assert.deepEqual(project.files(), before);
});

test("--no-model adds the interface to a model that is there", async () => {
  using project = testProject();
  await project.run("gen.html", ...note, "--wire");
  const { code, stdout } = await project.run("gen.json", ...note, "--wire", "--no-model");
  assert.equal(code, 0);
  assert.deepEqual(stdout.match(/^created .*$/gm), ["created      test/note-api.test.ts"]);
  assert.match(project.read("routes/routes.ts"), /jsonOfService\(\{ name: "notes"/);
});

test("accounts are written and wired once, and leave what is there alone", async () => {
  using project = testProject();
  project.write(".env.test", "LOG_LEVEL=error\n");
  assert.equal((await project.run("gen.auth", "--wire")).code, 0);
  assert.match(project.read(".env.test"), /^LOG_LEVEL=error\n# .*\nPASSWORD_MEMORY=8\nPASSWORD_PASSES=1\n$/);
  const before = project.files();
  const again = await project.run("gen.auth", "--wire");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /web\/handler\/session\.ts[^]*--force/);
  assert.deepEqual(project.files(), before);
  assert.equal((await project.run("gen.auth", "--wire", "--force")).code, 0);
  assert.deepEqual(project.files(), before, "wiring twice adds nothing twice");
});

test("accounts take the services that are there", async () => {
  using project = testProject();
  project.write("service/service.ts", `${project.read("service/service.ts")}export const email = Email.memory();\n`);
  assert.equal((await project.run("gen.auth", "--wire")).code, 0);
  const services = project.read("service/service.ts");
  assert.equal(services.match(/^export const email = /gm)?.length, 1);
  assert.doesNotMatch(services, /smtp/);
});

test("without --wire, all that accounts need is printed by file, to be added by hand", async () => {
  using project = testProject();
  const before = project.read("service/service.ts");
  const { stdout } = await project.run("gen.auth");
  assert.equal(project.read("service/service.ts"), before);
  assert.deepEqual(stdout.match(/^Add to .*$/gm), [
    "Add to service/service.ts:",
    "Add to run/run.ts:",
    "Add to routes/routes.ts:",
    "Add to web/view/layout.ts:",
    "Add to .env.test:",
  ]);
  assert.match(stdout, /^ {2}import \{ Account, Email, PasswordReset, Queue, Token, User \} from "limmat";$/m);
  assert.match(stdout, /^ {2}export const user = User\.service\(\{ database \}\);$/m);
  assert.doesNotMatch(stdout, /\n\n\n/);
});

test("accounts need a database", async () => {
  using project = testProject();
  project.write("service/service.ts", "export const nothing = 1;\n");
  const before = project.files();
  const { code, stderr } = await project.run("gen.auth", "--wire");
  assert.equal(code, 1);
  assert.match(stderr, /Accounts are kept in a database/);
  assert.deepEqual(project.files(), before);
});

test("--plural names what English would not", async () => {
  using project = testProject();
  const { code } = await project.run("gen.model", "sqlite", "news", "title:string", "--plural", "news_items");
  assert.equal(code, 0);
  assert.match(project.read("database/migration/news-items.ts"), /create table news_items/);
});

test("another database than the project's is worth a word", async () => {
  using project = testProject();
  const { stderr } = await project.run("gen.model", "mariadb", "note", "title:string");
  assert.match(stderr, /chooses sqlite, not mariadb/);
});
