// Generated pages read and write the database of a tenant: that of the application has users, and nothing else. Owners who have left
// the members change nothing.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { type App, Configuration, type Context, type Migration, type Result, type User } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { type Visitor, visitor } from "limmat/testing";
import { root } from "../sources.ts";
import { type TestProject, testProject } from "./project.ts";

const password = "a meadow of cats";
const options = { ctx: [["pool", "tenant"]] } as const;

/** Service of a generated model. */
interface CommentService {
  update(id: string, input: { readonly text: string }, options: { readonly ctx: Context }): Promise<Result<unknown>>;
}

let project: TestProject;
let app: ReturnType<typeof App.create>;
let database: Database;
let user: User.UserService;

before(async () => {
  project = testProject();
  symlinkSync(join(root, "node_modules"), join(project.root, "node_modules"));
  for (const argv of [
    ["gen.auth"],
    ["gen.html", "sqlite", "project", "name:string", "--members"],
    ["gen.html", "sqlite", "label", "name:string", "--in=project", "--members"],
    [
      "gen.html",
      "sqlite",
      "issue",
      "title:string",
      "assignee:user?",
      "labels:many(label)",
      "--in=project",
      "--members",
    ],
    ["gen.html", "sqlite", "comment", "text:text", "--in=issue", "--owner", "--members"],
    ["gen.html", "sqlite", "loan", "title:string", "borrower:user"],
    ["gen.html", "sqlite", "note", "text:string", "--owner"],
  ]) {
    const { code, stderr } = await project.run(...argv, "--wire");
    assert.equal(code, 0, stderr);
  }
  const path = "web/middleware/user-context.ts";
  project.write(path, project.read(path).replace(/^\];$/m, '  ["pool", "tenant"],\n];'));

  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const load = (file: string): Promise<unknown> => import(join(project.root, file));
  ({ app } = (await load("run/run.ts")) as { readonly app: typeof app });
  const services = (await load("service/service.ts")) as {
    readonly database: Database;
    readonly migration: Migration.MigrationService;
    readonly user: User.UserService;
  };
  ({ database, user } = services);
  await app.start({ server: false });
  await services.migration.runAll();
  await database.addPool({ name: "tenant", url: `sqlite:${join(project.root, "tenant.sqlite")}` });
  await services.migration.runAll(options);
});
after(async () => {
  await app?.stop();
  project?.[Symbol.dispose]();
});

/** Stores a user who is an administrator and confirmed for the tenant only, and returns a visitor who is logged in. */
async function person(email: string): Promise<Visitor & { readonly id: string }> {
  const { id } = await user.createUser({ email, password });
  const now = new Date();
  await database.exec(
    sql`insert into user_users (id, email, email_key, status, admin, confirmed, created_at, updated_at)
      values (${id}, ${email}, ${email}, 'active', ${true}, ${true}, ${now}, ${now})`,
    options,
  );
  const device = visitor(app);
  await device.get("/login");
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return { ...device, id };
}

/** Adds an entry on its page, and returns its id from the list. */
async function add(device: Visitor, path: string, form: Readonly<Record<string, string>>): Promise<string> {
  assert.equal((await device.get(`${path}/new`)).status, 200, path);
  const response = await device.post(path, form);
  assert.equal(response.status, 303, `${path}: ${response.body}`);
  const { body } = await device.get(path);
  assert.match(body, /1 to \d+ of/, path);
  return /href="\/[\w/-]+\/([\da-f]{8}-[\da-f-]{27})/.exec(body.slice(body.indexOf("<tbody")))?.[1] ?? "";
}

test("pages of a tenant read and write its database only", async () => {
  const [ada, grace] = [await person("ada@example.com"), await person("grace@example.com")];
  const projectPath = `/projects/${await add(ada, "/projects", { name: "Railway" })}`;
  for (const path of ["/projects", projectPath]) assert.match((await ada.get(path)).body, />Edit</);

  await add(ada, `${projectPath}/members`, { email: "grace@example.com", role: "member" });
  const [pending = ""] = /\/projects\/invitations\/[\da-f-]+/.exec((await grace.get("/projects")).body) ?? [];
  assert.equal((await grace.put(pending, {})).location, "/projects");
  assert.equal((await grace.get(projectPath)).status, 200);

  const label = await add(ada, `${projectPath}/labels`, { name: "urgent" });
  const form = (await ada.get(`${projectPath}/issues/new`)).body;
  for (const choice of [grace.id, label]) assert.ok(form.includes(`value="${choice}"`));
  const issue = { title: "The door creaks", assignee_id: grace.id, label_ids: label };
  const issuePath = `/issues/${await add(ada, `${projectPath}/issues`, issue)}`;
  assert.match((await ada.get(issuePath)).body, /grace@example\.com/);
  assert.equal((await ada.get(`${issuePath}/edit`)).status, 200);
  const changed = await ada.put(issuePath, { ...issue, title: "The door sticks", version: "1" });
  assert.equal(changed.location, issuePath);
  const comment = await add(grace, `${issuePath}/comments`, { text: "It does" });
  assert.match((await ada.get(`/comments/${comment}`)).body, />Edit</);

  const borrower = await user.createUser({ email: "joan@example.com" }, options);
  await add(ada, "/loans", { title: "Drill", borrower_id: borrower.id });
  await add(ada, "/notes", { text: "Oil the door" });

  for (const table of ["projects", "project_members", "labels", "issues", "comments", "loans", "notes"]) {
    const count = sql.value(Row.int)`select count(*) from ${sql.identifier(table, [table])}`;
    assert.equal(await database.find(count), 0, table);
    assert.ok((await database.find(count, options)) > 0, table);
  }
});

test("an owner who has left the members neither sees nor changes an entry", async () => {
  const [ada, grace] = [await person("alan@example.com"), await person("gina@example.com")];
  const projectPath = `/projects/${await add(ada, "/projects", { name: "Harbour" })}`;
  await add(ada, `${projectPath}/members`, { email: "gina@example.com", role: "member" });
  const [pending = ""] = /\/projects\/invitations\/[\da-f-]+/.exec((await grace.get("/projects")).body) ?? [];
  await grace.put(pending, {});
  const issuePath = `/issues/${await add(ada, `${projectPath}/issues`, { title: "The crane is stuck" })}`;
  const id = await add(grace, `${issuePath}/comments`, { text: "Oil it" });
  const service = (await import(join(project.root, "app/domain/comment/comment.ts"))) as CommentService;
  const ctx = [["user_id", grace.id], ...options.ctx] as const;
  assert.equal((await service.update(id, { text: "Grease it" }, { ctx })).ok, true);
  const membership = new RegExp(`action="(${projectPath}/members/[\\da-f-]+)"`);
  const [, path = ""] = membership.exec((await grace.get(`${projectPath}/members`)).body) ?? [];
  assert.equal((await grace.delete(path)).location, "/projects");
  await assert.rejects(service.update(id, { text: "Leave it" }, { ctx }), { code: "E_POLICY_NO_ROW" });
  assert.equal((await grace.get(`/comments/${id}`)).status, 404);
  assert.equal((await ada.get(`/comments/${id}`)).status, 200);
});
