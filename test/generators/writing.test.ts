import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readPackageFile } from "../../src/project/index.ts";
import { testProject } from "./project.ts";

const note = ["sqlite", "note", "title:string"] as const;

test("a dry run lists the files and writes none", async () => {
  using project = testProject();
  const before = project.files();
  const { code, stdout, stderr } = await project.run("gen.html", ...note, "--wire", "--dry-run");
  assert.equal(code, 0);
  assert.match(stdout, /^created {6}app\/domain\/note\/entity\.ts$/m);
  assert.match(stdout, /^edited {7}routes\/routes\.ts$/m);
  assert.match(stderr, /no file was written/);
  assert.deepEqual(project.files(), before);
});

test("the database need not be named if the project uses one", async () => {
  for (const command of ["gen.model", "gen.html", "gen.json"]) {
    using named = testProject();
    using unnamed = testProject();
    const expected = await named.run(command, ...note, "--wire");
    assert.deepEqual(await unnamed.run(command, "note", "title:string", "--wire"), expected);
    assert.deepEqual(unnamed.files(), named.files());
  }
});

test("a migration of a table without a migration or repository warns, and suggests a similar table", async () => {
  using project = testProject();
  await project.run("gen.model", ...note, "--wire");
  project.write("database/migration/renamed.ts", '["alter table words rename to terms"]');
  const stderrOf = async (...argv: readonly string[]): Promise<string> => {
    const { code, stderr } = await project.run("gen.migration", ...argv);
    assert.equal(code, 0, stderr);
    return stderr;
  };
  assert.equal(
    await stderrOf("add_rank_to_note", "rank:int"),
    'No migration or repository of this project names the table "note". Did you mean "notes"?',
  );
  assert.match(await stderrOf("drop_greeting"), /the table "greeting"\. Did you mean "greetings"\?$/);
  assert.match(await stderrOf("fill_ranks", "ranks"), /names the table "ranks"\.$/);
  for (const table of ["notes", "greetings", "terms"]) {
    assert.equal(await stderrOf(`add_rank_to_${table}`, "rank:int"), "", table);
  }
});

test("a migration of columns names the entity that has to follow", async () => {
  using project = testProject();
  await project.run("gen.model", ...note, "tag:string?", "--plural=notices", "--wire");
  const steps = async (...argv: readonly string[]): Promise<string> => {
    const { stdout } = await project.run("gen.migration", ...argv, "--wire");
    return stdout.slice(stdout.indexOf("Next steps:"));
  };
  assert.equal(
    await steps("add_rank_to_notices", "rank:int", "due_on:date?"),
    "Next steps:\n\n  add the fields rank, due_on to app/domain/note/entity.ts\n  npm run app migrate",
  );
  assert.match(
    await steps("add_author_to_notices", "next:note?"),
    /add the field next_id to app\/domain\/note\/entity\.ts, and the relation next to its repository\.ts/,
  );
  assert.match(await steps("remove_tag_from_notices", "tag:string?"), /remove the field tag from app\/domain\/note\//);
  assert.doesNotMatch(await steps("add_title_to_notices", "title:string?"), /entity\.ts/);
  assert.doesNotMatch(await steps("count_notices", "notices"), /entity\.ts/);
});

test("a project has one inbox, whether accounts or mails come first", async () => {
  for (const commands of [
    ["gen.auth", "gen.mail welcome", "gen.mail order_confirmation order:uuid"],
    ["gen.mail welcome", "gen.auth", "gen.mail order_confirmation order:uuid"],
  ]) {
    using project = testProject();
    for (const command of commands) assert.equal((await project.run(...command.split(" "), "--wire")).code, 0);
    const routes = Object.entries(project.files()).filter(([path]) => path.startsWith("routes/"));
    const inboxes = routes.flatMap(([, text]) => text.match(/Email\.Web\.inbox\(.*?\)/g) ?? []);
    assert.deepEqual(inboxes, ["Email.Web.inbox({ email, previews })"]);
    assert.match(project.read("app/mail/mail.ts"), /= \[welcomePreview, orderConfirmationPreview\];/);
  }
});

test("refuses to overwrite existing files, and writes no other file either", async () => {
  using project = testProject();
  project.write("web/view/note.ts", "// mine\n");
  const before = project.files();
  const { code, stderr } = await project.run("gen.html", ...note, "--wire");
  assert.equal(code, 1);
  assert.match(stderr, /web\/view\/note\.ts[^]*--force/);
  assert.deepEqual(project.files(), before);
});

test("--force overwrites files, except files that several generators share", async () => {
  using project = testProject();
  project.write("web/view/note.ts", "// mine\n");
  project.write("web/view/components.ts", "// mine too\n");
  const { code, stdout } = await project.run("gen.html", ...note, "--force");
  assert.equal(code, 0);
  assert.match(stdout, /^overwritten {2}web\/view\/note\.ts$/m);
  assert.match(project.read("web/view/note.ts"), /^import/);
  assert.equal(project.read("web/view/components.ts"), "// mine too\n");
});

test("writes a missing shared file", async () => {
  using project = testProject();
  project.remove("web/view/components.ts");
  await project.run("gen.view", "note", "title:string");
  assert.match(project.read("web/view/components.ts"), /limmat\/components/);
});

test("undoes all writes after a failure", async () => {
  using project = testProject();
  // A folder at the path of the last file makes its rename fail, after all other files are written.
  mkdirSync(join(project.root, "test/note-pages.test.ts/in-the-way"), { recursive: true });
  const before = project.files();
  const { code } = await project.run("gen.html", ...note, "--wire", "--force");
  assert.equal(code, 1);
  assert.deepEqual(project.files(), before);
});

test("without --wire, prints the edits for the route and the migration", async () => {
  using project = testProject();
  const before = project.read("routes/routes.ts");
  const { stdout } = await project.run("gen.html", ...note);
  assert.match(stdout, /Add to database\/migration\.ts:\n\n {2}import \{ notes \} from "\.\/migration\/notes\.ts";/);
  assert.match(stdout, /Add to routes\/routes\.ts:\n\n {2}import \{ notes \} from "\.\/note\.ts";[^]*notes\], /);
  assert.match(stdout, /npm run app migrate/);
  assert.equal(project.read("routes/routes.ts"), before);
});

test("--wire prints the edits that it cannot apply, and applies the others", async () => {
  using project = testProject();
  project.write("routes/routes.ts", "export const router = somethingElse();\n");
  const { code, stdout } = await project.run("gen.html", ...note, "--wire");
  assert.equal(code, 0);
  assert.match(stdout, /Add to routes\/routes\.ts:/);
  assert.equal(project.read("routes/routes.ts"), "export const router = somethingElse();\n");
  assert.match(project.read("database/migration.ts"), /\[greetings, notes\]/);
});

test("--wire applied twice adds everything once", async () => {
  using project = testProject();
  await project.run("gen.html", ...note, "--wire");
  const before = project.files();
  assert.equal((await project.run("gen.html", ...note, "--wire", "--force")).code, 0);
  assert.deepEqual(project.files(), before);
});

test("--no-model generates an API for an existing model", async () => {
  using project = testProject();
  await project.run("gen.html", ...note, "--wire");
  const { code, stdout } = await project.run("gen.json", ...note, "--wire", "--no-model");
  assert.equal(code, 0);
  assert.deepEqual(stdout.match(/^created .*$/gm), [
    "created      routes/note-api.ts",
    "created      test/note-api.test.ts",
  ]);
  assert.match(project.read("routes/routes.ts"), /tokenApi, notesApi\]/);
  assert.doesNotMatch(stdout, /migrate/);
  assert.match(stdout, /Everybody can change the notes: require a token/);
});

test("--token lists an API among those that need a token, with the router and the service if they are missing", async () => {
  for (const isBare of [false, true]) {
    using project = testProject();
    if (isBare) {
      project.write("routes/routes.ts", readPackageFile("stubs/new/bare/routes/routes.ts.stub"));
      project.write("service/service.ts", project.read("service/service.ts").replace(/^export const token.*\n/m, ""));
    }
    const { stdout } = await project.run("gen.json", ...note, "--token", "--wire");
    assert.doesNotMatch(stdout, /Add to|Everybody/);
    await project.run("gen.json", "label", "name:string", "--token", "--wire");
    const routes = project.read("routes/routes.ts");
    assert.match(routes, /^const tokenApi = Web\.choose\(\[[^]*?notesApi, labelsApi\]/m);
    assert.match(routes, /^const api = Web\.choose\(\[.*tokenApi\], \{[^}]*requestLimit/m);
    assert.match(project.read("service/service.ts"), /^export const token = /m);
    assert.match(project.read("test/note-api.test.ts"), /refuses clients without a token/);
  }
});

test("a second webhook joins the router and the settings of the first", async () => {
  using project = testProject();
  project.write("compose.yaml", "services:\n  app:\n    environment:\n      A: b\n");
  project.write(".env.example", "FRAMEWORK_SECRET=\nCHECK_CSRF=true\n");
  await project.run("gen.webhook", "payment", "--wire");
  const { code, stdout } = await project.run("gen.webhook", "parcel", "--wire");
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /Add to/);
  const routes = project.read("routes/routes.ts");
  assert.match(
    routes,
    /^const webhooks = Web\.choose\(\s*\[Web\.post\([^]*?, payment\), Web\.post\([^]*?, parcel\)\]/m,
  );
  assert.equal(routes.match(/\bwebhooks\]/g)?.length, 1);
  assert.match(project.read("run/run.ts"), /configuration: \[paymentSecret, parcelSecret\]/);
  const [application = ""] = /environment:\n[^]*/.exec(project.read("compose.yaml")) ?? [];
  assert.deepEqual(application.split("\n").slice(1, -1), [
    "      PARCEL_SECRET: ${PARCEL_SECRET:?set it in .env}",
    "      PAYMENT_SECRET: ${PAYMENT_SECRET:?set it in .env}",
    "      A: b",
  ]);
  assert.match(
    project.read(".env.example"),
    /^FRAMEWORK_SECRET=\n# .* parcel\.\nPARCEL_SECRET=\n# .* payment\.\nPAYMENT_SECRET=\nCHECK_CSRF=true\n$/,
  );
});

test("a second image joins the columns and the routes of the first, behind the guard of the pages", async () => {
  for (const flags of [[], ["--owner"]]) {
    using project = testProject();
    await project.run("gen.auth", "--wire");
    await project.run("gen.html", ...note, ...flags, "--wire");
    project.write("routes/note.ts", project.read("routes/note.ts").replace('name: "notes"', 'name: "office/notes"'));
    const { stdout } = await project.run("gen.upload", "note", "back_cover", "--wire");
    assert.doesNotMatch(stdout, /Add to/);
    assert.equal(/everybody can replace the back cover/.test(stdout), flags.length === 0);
    const second = await project.run("gen.upload", "note", "cover", "--wire");
    assert.match(second.stdout, /Add to web\/view\/note\.ts:[^]*after: coverForm/);
    const [, columns = ""] = /columns: \{ (.*) \},/.exec(project.read("app/domain/note/repository.ts")) ?? [];
    const ids = ["back_cover: Row.optional(Row.uuid)", "cover: Row.optional(Row.uuid)"];
    assert.deepEqual(columns.split(", "), [...(flags.length === 0 ? [] : ["owner_id: Row.uuid"]), ...ids]);
    const routes = project.read("routes/note.ts");
    const path = /Web\.(?:get|post)\("\/office\/notes\/:id<uuid>\/(?:back-)?cover", \w+\),\n/g;
    assert.equal(routes.match(path)?.length, 4);
    assert.match(
      routes,
      flags.length === 0 ? /,\n\]\);\n$/ : /,\n {2}\],\n {2}\{ middlewares: \[User\.Web\.requireUser\(/,
    );
    assert.equal((await project.run("gen.undo")).code, 0);
    assert.equal((await project.run("gen.undo")).code, 0);
    assert.doesNotMatch(project.read("routes/note.ts"), /cover/i);
  }
});

test("gen.admin adds further models to the pages that are there, and is undone", async () => {
  using project = testProject();
  await project.run("gen.auth", "--wire");
  for (const model of ["note", "tree"]) await project.run("gen.model", "sqlite", model, "title:string", "--wire");
  project.write(
    "service/service.ts",
    `${project.read("service/service.ts")}export const audit = Audit.service({ database });\n`,
  );
  await project.run("gen.admin", "note", "--wire");
  const first = project.files();
  const routes = project.read("routes/admin.ts");
  assert.match(routes, /tables: \[Admin\.users\(\), noteAdmin\],[^]*audit: \{ audit, user: User\.Web\.user \},/);
  assert.ok(project.read("web/admin/note.ts").split("\n").length <= 40);
  const { stdout } = await project.run("gen.admin", "tree", "tree", "--wire");
  assert.match(stdout, /^edited +routes\/admin\.ts$/m);
  assert.match(project.read("routes/admin.ts"), /tables: \[Admin\.users\(\), noteAdmin, treeAdmin\],/);
  assert.equal(project.read("routes/routes.ts"), first["routes/routes.ts"]);
  await project.run("gen.undo");
  assert.deepEqual(project.files(), first);
  await project.run("gen.undo");
  assert.equal(project.files()["routes/admin.ts"], undefined);
  assert.doesNotMatch(project.read("routes/routes.ts"), /admin/);
});

test("--no-model refuses fields that the entity lacks", async () => {
  using project = testProject();
  await project.run("gen.model", "sqlite", "label", "name:string", "--wire");
  await project.run("gen.model", "sqlite", "task", "name:string", "order:int", "label:label?", "tags:many(label)");
  const before = project.files();
  for (const [command, field, column] of [
    ["gen.json", "count:int", "count"],
    ["gen.html", "class:string", "class"],
    ["gen.json", "owner_label:label", "owner_label_id"],
    ["gen.html", "others:many(label)", "other_ids"],
    ["gen.json", "created:string", "created"],
  ] as const) {
    const { code, stderr } = await project.run(command, "sqlite", "task", "name:string", field, "--wire", "--no-model");
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      new RegExp(`task/entity\\.ts has no field "${column}"\\. It has: name, order, label_id, tag_ids\\.`),
    );
  }
  assert.deepEqual(project.files(), before);
  const all = ["name:string", "order:int", "label:label?", "tags:many(label)"];
  assert.equal((await project.run("gen.json", "sqlite", "task", ...all, "--no-model")).code, 0);

  const entity = "app/domain/task/entity.ts";
  project.write(entity, "const count = Schema.int();\nexport const schema = Schema.record({ 'name': text, count });\n");
  assert.equal((await project.run("gen.html", "sqlite", "task", "name:string", "count:int", "--no-model")).code, 0);
  project.write(entity, "export const schema = Schema.record({ ...shared });\n");
  assert.equal((await project.run("gen.view", "task", "name:string", "--force")).code, 0);
  assert.equal((await project.run("gen.html", "sqlite", "task", "a:int", "--no-model", "--force")).code, 0);
});

test("gen.auth writes and wires accounts once, and keeps existing settings", async () => {
  using project = testProject();
  project.write(".env.test", "LOG_LEVEL=error\n");
  project.write(".env.example", "FRAMEWORK_SECRET=\nCHECK_CSRF=true\n");
  assert.equal((await project.run("gen.auth", "--wire")).code, 0);
  assert.match(
    project.read(".env.example"),
    /^FRAMEWORK_SECRET=\n# .*\nAPP_URL=.+\nSMTP_HOST=.+\nSMTP_SENDER=.+\nCHECK_CSRF=true\n$/,
  );
  assert.match(project.read(".env.test"), /^LOG_LEVEL=error\n# .*\nPASSWORD_MEMORY=8\nPASSWORD_PASSES=1\n$/);
  const before = project.files();
  const repeated = await project.run("gen.auth", "--wire");
  assert.equal(repeated.code, 1);
  assert.match(
    repeated.stderr,
    /routes\/account\.ts[^]*The project has accounts already: edit these files, or overwrite .* --force/,
  );
  assert.deepEqual(project.files(), before);
  assert.equal((await project.run("gen.auth", "--wire", "--force")).code, 0);
  assert.deepEqual(project.files(), before, "--wire applied twice adds everything once");
});

test("gen.auth uses existing services", async () => {
  using project = testProject();
  project.write("service/service.ts", `${project.read("service/service.ts")}export const email = Email.memory();\n`);
  assert.equal((await project.run("gen.auth", "--wire")).code, 0);
  const services = project.read("service/service.ts");
  assert.equal(services.match(/^export const email = /gm)?.length, 1);
  assert.doesNotMatch(services, /smtp/);
});

test("without --wire, gen.auth prints all edits by file", async () => {
  using project = testProject();
  const before = project.read("service/service.ts");
  const { stdout } = await project.run("gen.auth");
  assert.equal(project.read("service/service.ts"), before);
  assert.deepEqual(stdout.match(/^Add to .*$/gm), [
    "Add to service/service.ts:",
    "Add to run/run.ts:",
    "Add to routes/routes.ts:",
    "Add to web/view/layout.ts:",
    "Add to compose.yaml:",
    "Add to package.json:",
    "Add to .env.example:",
    "Add to .env.test:",
  ]);
  assert.match(stdout, /^ {2}import \{ Account, Email, PasswordReset, Queue, Token, User \} from "limmat";$/m);
  assert.match(stdout, /^ {2}export const user = User\.service\(\{ database \}\);$/m);
  assert.doesNotMatch(stdout, /\n\n\n/);
});

test("gen.auth requires a database", async () => {
  using project = testProject();
  project.write("service/service.ts", "export const nothing = 1;\n");
  const before = project.files();
  const { code, stderr } = await project.run("gen.auth", "--wire");
  assert.equal(code, 1);
  assert.match(stderr, /Accounts are stored in a database/);
  assert.deepEqual(project.files(), before);
});

test("--plural sets an irregular plural", async () => {
  using project = testProject();
  const { code } = await project.run("gen.model", "sqlite", "news", "title:string", "--plural", "news_items");
  assert.equal(code, 0);
  assert.match(project.read("database/migration/news-items.ts"), /create table news_items/);
});

test("warns if the project uses another database", async () => {
  using project = testProject();
  const { stderr } = await project.run("gen.model", "mariadb", "note", "title:string");
  assert.match(stderr, /uses sqlite, not mariadb/);
});
