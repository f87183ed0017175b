// Pages for administrators: lists, rows, changes, and what they refuse.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, Language, Migration, Random, Schema, User, Web } from "limmat";
import * as Admin from "limmat/admin";
import * as Audit from "limmat/audit";
import { type Database, Row } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { de } from "limmat/language/de";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { capturedLog, forbidUnaskedPolicies, type Page, type Visitor, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../../config/index.ts";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";

const teams = Table.make("teams", {
  schema: Schema.record({ name: Schema.string({ min: 1 }) }),
  unique: [["name"]],
  search: { filter: ["name"], sortBy: ["name"] },
});
const labels = Table.make("labels", { schema: Schema.record({ name: Schema.string() }) });
const issues = Table.make("issues", {
  schema: Schema.record({
    title: Schema.string({ min: 1, max: 100 }),
    state: Schema.oneOf(["open", "closed"]),
    urgent: Schema.bool(),
    body: Schema.optional(Schema.text()),
    code: Schema.optional(Schema.string({ sensitive: true })),
    ssn: Schema.optional(Schema.string({ max: 20 })),
    assignee_id: Schema.optional(Schema.uuid()),
    judge_id: Schema.optional(Schema.uuid({ sensitive: true })),
  }),
  columns: { team_id: Row.uuid, password_hash: Row.optional(Row.text) },
  encrypted: { ssn: true },
  timestamps: true,
  version: true,
  relations: {
    team: () => Table.belongsTo(teams),
    assignee: () => Table.belongsTo(User.table, { onDelete: "set null" }),
    judge: () => Table.belongsTo(User.table, { onDelete: "set null" }),
    labels: () => Table.manyToMany(labels, { through: "issue_labels" }),
  },
  search: {
    filter: ["title"],
    filterBy: ["state", "urgent", "labels", "created_at", "password_hash"],
    sortBy: ["created_at", "title", "password_hash"],
  },
});
const notes = Table.make("notes", {
  schema: Schema.record({ text: Schema.string(), reply_to_id: Schema.optional(Schema.uuid()) }),
  columns: { issue_id: Row.uuid },
  softDelete: true,
  relations: {
    issue: () => Table.belongsTo(issues),
    reply_to: () => Table.belongsTo(notes, { onDelete: "set null" }),
  },
});
const tables = [teams, labels, issues, notes];
// Asked by nobody: pages for administrators say that they ask no policy.
Policy.make(issues, () => ({ see: (user) => ({ assignee_id: user.id }) }));
const notePolicy = Policy.make(notes, (is) => ({ see: is.anyone({ text: "public" }), change: is.anyone() }));

const layout: Admin.RouterOptions["layout"] = (request, title, content) =>
  html`<title>${title}</title>
    <p>${Web.Flash.notice(request)} ${Web.Flash.alert(request)}</p>
    ${content}`;
const missing = Random.uuid();

function cases(name: string, database: Database): void {
  const audit = Audit.service({ database });
  const user = User.service({ database });
  const loginPath = "/login";
  const shown = [
    Admin.users(),
    Admin.table(teams, { texts: { one: "team", many: "teams" }, labelOf: ({ name: text }) => text }),
    Admin.table(issues, { texts: { one: "issue", many: "issues" }, labelOf: ({ title }) => title }),
    Admin.table(labels, { texts: { one: "label", many: "labels" }, labelOf: ({ name: text }) => text, only: [] }),
    Admin.table(notes, {
      texts: { one: "note", many: "notes" },
      labelOf: ({ text }) => text,
      policy: Policy.access(notePolicy, { database, actor: User.Web.user }),
    }),
  ];
  const admin = Admin.router({
    database,
    tables: shown,
    layout,
    guard: User.Web.requireAdmin({ loginPath }),
    middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
    audit: { audit, user: User.Web.user, path: "/admin/audit" },
  });
  const logIn = Web.post("/login", async (request) => {
    const [found] = await user.search({ filter: (await request.form())[1]?.[1] ?? "" });
    return User.Web.login(found[0]!, request, Web.Response.redirect("/"));
  });
  const form = Web.get("/login", (request) =>
    Web.Response.html(html`<input type="hidden" name="csrf" value="${Web.Csrf.find(request)}" />`),
  );
  const site = Web.choose([form, logIn], {
    middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
  });
  const app = App.create({
    services: [
      database,
      audit,
      user,
      Migration.service({ database, migrations: [Table.migration(tables)], onPending: "run" }),
      Web.Http.service({ router: Web.choose([admin, site]) }),
    ],
  });

  /** Returns a visitor who is logged in. */
  async function person(email: string, isAdmin: boolean): Promise<Visitor> {
    const created = await user.createUser({ email });
    if (isAdmin) await user.setAdmin(created, true);
    const device = visitor(app);
    await device.get("/login");
    await device.post("/login", { email });
    return device;
  }

  /** Stores a team with an issue, its label and its note. */
  async function makeRows() {
    const team = await teams.insert(database, { name: "Red <b>" });
    const issue = await issues.insert(database, {
      title: "Login <i> fails",
      state: "open",
      urgent: true,
      body: "A long text",
      code: "s3cret",
      ssn: "123-45",
      password_hash: "argon2-hash",
      team_id: team.id,
    });
    const label = await labels.insert(database, { name: "bug & co" });
    await issues.links.labels.add(database, issue, [label.id]);
    const note = await notes.insert(database, { text: "public", issue_id: issue.id });
    const hidden = await notes.insert(database, { text: "private", issue_id: issue.id });
    return { team, issue, label, note, hidden };
  }

  const inputOf = ({ version }: { readonly version: number }, changes = {}): Readonly<Record<string, string>> => ({
    title: "Renamed",
    state: "closed",
    body: "A long text",
    assignee_id: "",
    version: String(version),
    ...changes,
  });
  const trail = async () =>
    (await audit.search({ sort: "asc" }))[0].map(({ action, user_id, subject_table, subject_id, details }) => ({
      action,
      user_id,
      subject_table,
      subject_id,
      details,
    }));

  describe(`${name}: pages for administrators`, () => {
    before(async () => {
      Configuration.store([
        ["FRAMEWORK_ENV", "test"],
        ["CHECK_CSRF", "true"],
        ["LOG_LEVEL", "error"],
      ]);
      using _ = capturedLog("error");
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(() => Cleaner.cleanAll());

    test("the start page has the tables and their numbers of rows", async () => {
      await makeRows();
      const ada = await person("ada@example.com", true);
      const { status, body, headers } = await ada.get("/admin");
      assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
      const [users, ...others] = ["user_users", "teams", "issues", "labels", "notes"];
      for (const table of [users, ...others]) {
        assert.match(body, new RegExp(`href="/admin/${table}"[^]*?data-label="Rows"[^>]*>\\s*1\\s*<`));
      }
    });

    test("a list shows fields, links of foreign keys and sort links, and filters", async () => {
      const { team, issue } = await makeRows();
      const grace = await user.createUser({ email: "grace@example.com" });
      const other = await teams.insert(database, { name: "Blue" });
      await issues.insert(database, { title: "Other", state: "closed", urgent: false, team_id: other.id });
      await issues.update(database, issue, { assignee_id: grace.id });
      const ada = await person("ada@example.com", true);
      const { body } = await ada.get("/admin/issues");
      assert.match(body, new RegExp(`href="/admin/issues/${issue.id}"\\s*>Login &lt;i&gt; fails<`));
      assert.match(body, new RegExp(`href="/admin/teams/${team.id}"\\s*>Red &lt;b&gt;<`));
      assert.match(body, new RegExp(`href="/admin/user_users/${grace.id}"\\s*>grace@example.com<`));
      assert.match(body, /href="\/admin\/issues\?sort=title"/);
      for (const [query, count] of [
        ["", 2],
        ["?state=open", 1],
        ["?urgent=false", 1],
        ["?filter=login", 1],
        [`?team_id=${team.id}`, 1],
        [`?team_id=${issue.id}`, 0],
        [`?assignee_id=${grace.id}`, 1],
        ["?assignee_id=none", 1],
        ["?labels=none", 1],
        ["?created_at_to=2020-01-01", 0],
        ["?password_hash=argon2-hash", 2],
        ["?id=x&ssn=1&code=s3cret", 2],
      ] as const) {
        const found = (await ada.get(`/admin/issues${query}`)).body.matchAll(/<th scope="row">/g);
        assert.equal([...found].length, count, query);
      }
      assert.match((await ada.get("/admin/issues?sort=-title")).body, /Other[^]*Login/);
      using _ = capturedLog();
      assert.equal((await ada.get("/admin/issues?team_id=x")).status, 422);
      assert.equal((await ada.get("/admin/issues?state=x")).status, 422);
      assert.equal((await ada.get("/admin/issues?sort=password_hash")).status, 400);
      assert.equal((await ada.get("/admin/teams?sort=state")).status, 400);
    });

    test("hidden values appear nowhere, in pages as in JSON", async () => {
      const { issue } = await makeRows();
      const ada = await person("ada@example.com", true);
      const cookie = [...ada.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
      for (const path of ["", `/${issue.id}`, `/${issue.id}/edit`]) {
        const { status, body } = await ada.get(`/admin/issues${path}`);
        assert.equal(status, 200);
        assert.match(body, /Login/);
        assert.doesNotMatch(body, /s3cret|123-45|argon2|password_hash|judge|name="(?:code|ssn)"/i, path);
        assert.equal(path.endsWith("/edit") && body.includes('name="team_id"'), false);
        const json = await app.request(`/admin/issues${path}`, { headers: { cookie, accept: "application/json" } });
        assert.doesNotMatch(await json.text(), /s3cret|123-45|argon2|password_hash/, path);
      }
    });

    test("the page of a row shows its values, related and linked rows", async () => {
      const { team, issue, label } = await makeRows();
      const ada = await person("ada@example.com", true);
      await labels.insert(database, { name: "unrelated" });
      const { id } = await issues.insert(database, { title: "B", state: "open", urgent: false, team_id: team.id });
      const { body } = await ada.get(`/admin/issues/${issue.id}`);
      assert.doesNotMatch(body, /unrelated/);
      assert.match((await ada.get(`/admin/issues/${id}`)).body, /Notes<\/a>\s*\(0\)/);
      assert.match(body, /A long text/);
      assert.match(body, new RegExp(`href="/admin/teams/${team.id}"`));
      assert.match(body, new RegExp(`href="/admin/labels/${label.id}"\\s*>bug &amp; co<`));
      assert.match(body, new RegExp(`href="/admin/notes\\?issue_id=${issue.id}"\\s*>Notes</a>\\s*\\(1\\)`));
      assert.match((await ada.get(`/admin/teams/${team.id}`)).body, new RegExp(`issues\\?team_id=${team.id}"`));
      const filtered = await ada.get(`/admin/notes?issue_id=${issue.id}`);
      assert.match(filtered.body, /public/);
      assert.equal((await ada.get(`/admin/issues/${missing}`)).status, 404);
    });

    test("a change writes the fields of the form alone, and is recorded without values", async () => {
      const { team, issue, label } = await makeRows();
      const ada = await person("ada@example.com", true);
      const [admins] = await user.search({ filter: "ada" });
      const page = await ada.get(`/admin/issues/${issue.id}/edit`);
      assert.match(page.body, /<select[^>]*name="assignee_id"[^]*ada@example\.com/);
      const sent = inputOf(issue, { id: missing, team_id: missing, code: "x", ssn: "y", password_hash: "z" });
      const response = await ada.put(`/admin/issues/${issue.id}`, { ...sent, assignee_id: admins[0]!.id });
      assert.equal(response.location, `/admin/issues/${issue.id}`);
      const { updated_at: _, ...changed } = await issues.find(database, issue.id);
      const expected = { title: "Renamed", state: "closed", urgent: false, assignee_id: admins[0]!.id, version: 2 };
      const { updated_at: __, ...stored } = issue;
      assert.deepEqual(changed, { ...stored, ...expected });
      assert.equal(changed.team_id, team.id);
      const entry = { user_id: admins[0]!.id, subject_table: "issues", subject_id: issue.id };
      const details = { fields: ["title", "state", "urgent", "assignee_id"] };
      assert.deepEqual(await trail(), [{ action: "issues.change", ...entry, details }]);
      const { body } = await ada.follow(response);
      assert.match(body, /Issue saved/);
      assert.match(body, /issues\.change[^]*ada@example\.com[^]*title, state, urgent, assignee_id/);
      assert.match(body, new RegExp(`href="/admin/audit\\?subject_table=issues&amp;subject_id=${issue.id}"`));
      assert.doesNotMatch(body, /Acting administrator/);
      assert.doesNotMatch((await ada.get(`/admin/teams/${team.id}`)).body, /issues\.change/);
      const actor = { user: missing, impersonator: admins[0]!.id };
      await audit.record({ action: "issues.close", subject: { table: "issues", id: issue.id }, actor });
      const both = new RegExp(`Acting administrator[^]*issues\\.close[^]*${missing}[^]*ada@example\\.com`);
      assert.match((await ada.get(`/admin/issues/${issue.id}`)).body, both);
      // An unchanged row is neither written nor recorded.
      await ada.put(`/admin/issues/${issue.id}`, inputOf(changed, { assignee_id: admins[0]!.id }));
      assert.equal((await issues.find(database, issue.id)).version, 2);
      assert.equal((await trail()).length, 2);
      assert.equal((await ada.put(`/admin/labels/${label.id}`, { name: "x" })).status, 404);
    });

    test("invalid input, missing references, taken values and conflicts are shown in the form", async () => {
      const { team, issue } = await makeRows();
      const ada = await person("ada@example.com", true);
      await teams.insert(database, { name: "Blue" });
      const path = `/admin/issues/${issue.id}`;
      const put = (changes: object): Promise<Page> => ada.put(path, inputOf(issue, changes));
      await ada.get(`${path}/edit`);
      assert.match((await put({ title: "" })).body, /id="title-error"/);
      const dangling = await put({ assignee_id: missing });
      assert.equal(dangling.status, 422);
      assert.match(dangling.body, /id="assignee_id-error"[^>]*>\s*There is no such entry/);
      const taken = await ada.put(`/admin/teams/${team.id}`, { name: "Blue" });
      assert.equal(taken.status, 422);
      assert.match(taken.body, /id="name-error"[^>]*>\s*Another entry has this value already/);
      await issues.update(database, issue, { title: "Meanwhile" });
      const conflict = await put({ title: "Mine" });
      assert.equal(conflict.status, 409);
      assert.match(conflict.body, /Meanwhile/);
      assert.equal((await issues.find(database, issue.id)).title, "Meanwhile");
      assert.deepEqual(await trail(), []);
    });

    test("a deletion is recorded, refused while rows refer to the row, and soft where the table is", async () => {
      const { team, issue, note, hidden } = await makeRows();
      const ada = await person("ada@example.com", true);
      await ada.get("/admin/teams");
      const refused = await ada.delete(`/admin/teams/${team.id}?sort=name`);
      assert.equal(refused.location, "/admin/teams?sort=name");
      assert.match((await ada.follow(refused)).body, /Other entries refer to this one/);
      assert.equal((await ada.delete(`/admin/notes/${note.id}`)).status, 303);
      assert.ok((await notes.find(database, note.id, { withDeleted: true })).deleted_at);
      assert.equal((await ada.get(`/admin/notes/${note.id}`)).status, 404);
      await notes.delete(database, note, { permanently: true });
      await notes.delete(database, hidden, { permanently: true });
      await ada.delete(`/admin/issues/${issue.id}`);
      await ada.delete(`/admin/teams/${team.id}`);
      assert.deepEqual([await issues.count(database), await teams.count(database)], [0, 0]);
      const actions = (await trail()).map(({ action, subject_id }) => [action, subject_id]);
      assert.deepEqual(actions, [
        ["notes.delete", note.id],
        ["issues.delete", issue.id],
        ["teams.delete", team.id],
      ]);
    });

    test("a policy restricts the rows, also those of other pages", async () => {
      const { issue, note, hidden } = await makeRows();
      const ada = await person("ada@example.com", true);
      assert.doesNotMatch((await ada.get("/admin/notes")).body, /private/);
      for (const path of [`/admin/notes/${hidden.id}`, `/admin/notes/${hidden.id}/edit`]) {
        assert.equal((await ada.get(path)).status, 404);
      }
      await ada.get("/admin/notes");
      assert.equal((await ada.put(`/admin/notes/${hidden.id}`, { text: "x" })).status, 404);
      assert.equal((await ada.delete(`/admin/notes/${hidden.id}`)).status, 404);
      assert.equal((await notes.find(database, hidden.id)).text, "private");
      assert.match((await ada.get(`/admin/issues/${issue.id}`)).body, /Notes<\/a>\s*\(1\)/);
      // A form keeps the reference to a hidden row, and does not make one.
      const reply = await notes.insert(database, { text: "public", issue_id: issue.id, reply_to_id: hidden.id });
      assert.doesNotMatch((await ada.get("/admin/notes")).body, /private/);
      const { body } = await ada.get(`/admin/notes/${reply.id}/edit`);
      assert.match(body, new RegExp(`value="${hidden.id}"\\s+selected>${hidden.id}<`));
      const sent = { text: "public", reply_to_id: hidden.id };
      assert.equal((await ada.put(`/admin/notes/${reply.id}`, sent)).status, 303);
      assert.equal((await ada.put(`/admin/notes/${note.id}`, sent)).status, 422);
      assert.equal((await notes.find(database, note.id)).reply_to_id, undefined);
    });

    test("nobody else reads or changes anything", async () => {
      const rows = await makeRows();
      const ada = await person("ada@example.com", true);
      const [admins] = await user.search({ filter: "ada" });
      await ada.get("/admin/issues");
      const grace = await person("grace@example.com", false);
      const stored = JSON.stringify(await issues.collect(database));
      const ids = [admins[0]!.id, missing, ...Object.values(rows).map(({ id }) => id)];
      const lists = ["", ...["user_users", "teams", "issues", "labels", "notes"].map((table) => `/${table}`)];
      const paths = lists.flatMap((list) => [list, ...ids.flatMap((id) => [`${list}/${id}`, `${list}/${id}/edit`])]);
      const refuses = async (device: Visitor, isRefused: (page: Page) => boolean): Promise<void> => {
        for (const path of paths) {
          const sent = [await device.get(`/admin${path}`), await device.delete(`/admin${path}`)];
          for (const page of [...sent, await device.put(`/admin${path}`, inputOf(rows.issue))]) {
            assert.ok(isRefused(page), `${path}: ${page.status}`);
            assert.doesNotMatch(page.body, /Login &lt;|Red|bug|ada@/);
          }
        }
      };
      using _ = capturedLog();
      await refuses(grace, ({ status }) => status === 403 || status === 404 || status === 405);
      assert.equal((await grace.get("/admin/issues")).status, 403);
      await refuses(visitor(app), ({ status }) => [303, 401, 403, 404, 405].includes(status));
      assert.match((await visitor(app).get("/admin/issues")).location ?? "", /^\/login\?return_to=/);
      // An administrator who loses the right, or the account, with a session from before.
      await user.setAdmin(admins[0]!, false);
      await refuses(ada, ({ status }) => status === 403 || status === 404 || status === 405);
      await user.deactivate(admins[0]!);
      assert.match((await ada.get("/admin/issues")).location ?? "", /^\/login/);
      assert.equal(JSON.stringify(await issues.collect(database)), stored);
      assert.equal(await user.findByEmailOpt("ada@example.com").then((found) => found?.admin), false);
      assert.deepEqual(await trail(), []);
    });

    test("a form of another site changes nothing", async () => {
      const { issue, team } = await makeRows();
      const ada = await person("ada@example.com", true);
      const csrf = "forged";
      using _ = capturedLog();
      assert.equal((await ada.put(`/admin/issues/${issue.id}`, inputOf(issue, { csrf }))).status, 403);
      assert.equal((await ada.delete(`/admin/teams/${team.id}`, { csrf })).status, 403);
      assert.equal((await issues.find(database, issue.id)).title, issue.title);
    });

    test("pages of a table with a policy that is not given say that they ask none", async () => {
      const { issue } = await makeRows();
      const ada = await person("ada@example.com", true);
      using _ = forbidUnaskedPolicies();
      for (const path of ["/admin", "/admin/issues", `/admin/issues/${issue.id}/edit`]) await ada.get(path);
      await ada.put(`/admin/issues/${issue.id}`, inputOf(issue));
      assert.equal((await ada.delete(`/admin/issues/${issue.id}`)).status, 303);
    });

    test("a table with many rows takes an id instead of a choice", async () => {
      const { issue } = await makeRows();
      for (let index = 0; index < 101; index++) await user.createUser({ email: `user${index}@example.com` });
      const ada = await person("ada@example.com", true);
      const { body } = await ada.get(`/admin/issues/${issue.id}/edit`);
      assert.match(body, /<input[^>]*name="assignee_id"/);
      const [admins] = await user.search({ filter: "ada" });
      const dangling = await ada.put(`/admin/issues/${issue.id}`, inputOf(issue, { assignee_id: issue.id }));
      assert.equal(dangling.status, 422);
      await ada.put(`/admin/issues/${issue.id}`, inputOf(issue, { assignee_id: admins[0]!.id }));
      assert.equal((await issues.find(database, issue.id)).assignee_id, admins[0]!.id);
    });
  });
}

test("a change and its entry in the trail are stored together, and rules of hidden fields hold", async () => {
  const database = sqlite({ url: "sqlite::memory:" });
  const parents = Table.make("parents", {
    schema: Schema.record({ name: Schema.string() }),
    relations: { children: () => Table.hasMany(children) },
  });
  const children = Table.make("children", {
    schema: Schema.record(
      { name: Schema.string(), pin: Schema.optional(Schema.string({ sensitive: true })) },
      { validate: ({ name, pin }) => (name === pin ? { pin: "The name is the PIN" } : undefined) },
    ),
    columns: { parent_id: Row.uuid },
    version: true,
    search: { filter: ["name", "pin"] },
  });
  // Runs after the resource has compared the version, and before the change.
  let changeMeanwhile = (): Promise<unknown> => Promise.resolve();
  const open = Policy.make(children, (is) => ({ see: is.anyone(), change: is.anyone() }));
  const access = Policy.access(open, { database, actor: () => undefined });
  const policy = { ...access, require: async () => void (await changeMeanwhile()) };
  const labelOf = ({ name }: { readonly name: string }): string => name;
  const record = (): Promise<void> => Promise.reject(new Error("the trail is full"));
  const cursors = { next: undefined, previous: undefined, offset: 0 };
  const search = (() => Promise.resolve([[], undefined, cursors])) as unknown as Audit.Audit["search"];
  const router = Admin.router({
    database,
    layout,
    tables: [
      Admin.table(parents, { texts: { one: "parent", many: "parents" }, labelOf }),
      Admin.table(children, { texts: { one: "child", many: "children" }, labelOf, policy }),
    ],
    guard: (handler) => handler,
    audit: { audit: { record, search }, user: () => Promise.resolve(undefined) },
  });
  const migration = Migration.service({
    database,
    migrations: [Table.migration([parents, children])],
    onPending: "run",
  });
  const app = App.create({ services: [database, migration, Web.Http.service({ router })] });
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  using _ = capturedLog();
  await app.start({ server: false });
  try {
    const { id: parent_id } = await parents.insert(database, { name: "Red" });
    const { id } = await children.insert(database, { name: "Ada", pin: "1815", parent_id });
    const admin = visitor(app);
    // A relation of the parent alone makes its column a reference.
    assert.match((await admin.get(`/admin/parents/${parent_id}`)).body, /children\?parent_id=[\w-]+"\s*>Children/);
    assert.match((await admin.get(`/admin/children/${id}`)).body, new RegExp(`href="/admin/parents/${parent_id}"`));
    // A search of a hidden column would reveal it.
    const list = await admin.get("/admin/children?filter=9999");
    assert.match(list.body, />Ada</);
    assert.doesNotMatch(list.body, /type="search"/);
    const refused = await admin.put(`/admin/children/${id}`, { name: "1815", version: "1" });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /The name is the PIN/);
    assert.equal((await admin.put(`/admin/children/${id}`, { name: "Grace", version: "1" })).status, 500);
    assert.equal((await admin.delete(`/admin/children/${id}`)).status, 500);
    assert.equal(labelOf(await children.find(database, id)), "Ada");
    changeMeanwhile = () => children.update(database, { id, version: 1 }, { name: "Mary" });
    assert.equal((await admin.put(`/admin/children/${id}`, { name: "Grace", version: "1" })).status, 409);
  } finally {
    await app.stop();
    ConfigurationInternals.reset();
  }
});

test("the texts of the pages are in the language of the request", async () => {
  const database = sqlite({ url: "sqlite::memory:" });
  const language = Language.make("en", { en: {}, de: {} }, { framework: { de } });
  const router = Admin.router({ database, layout, tables: [Admin.users()], guard: (handler) => handler });
  const http = Web.Http.service({ router, middlewares: [Web.Middleware.language(language)] });
  const migration = Migration.service({ database, onPending: "run" });
  const app = App.create({ services: [database, User.service({ database }), migration, http] });
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  using _ = capturedLog();
  await app.start({ server: false });
  try {
    const textOf = async (path: string): Promise<string> =>
      (await app.request(path, { headers: { "accept-language": "de", accept: "text/html" } })).text();
    assert.match(await textOf("/admin"), /Verwaltung[^]*Benutzer[^]*Einträge/);
    assert.match(await textOf("/admin/user_users"), /Benutzer[^]*Suche[^]*<option value="active">Aktiv<[^]*Verwalter/);
  } finally {
    await app.stop();
    ConfigurationInternals.reset();
  }
});

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));

test("a router needs a guard, and a table shows no hidden column", () => {
  const database = sqlite({ url: "sqlite::memory:" });
  const texts = { one: "issue", many: "issues" };
  const labelOf = (): string => "";
  const options = { database, layout, tables: [] };
  // @ts-expect-error: the guard is required.
  assert.throws(() => Admin.router(options), { code: "E_ADMIN_GUARD" });
  const show = (column: "code" | "ssn" | "title"): void => {
    const shown = [Admin.table(issues, { texts, labelOf, facts: [column] })];
    Admin.router({ ...options, tables: shown, guard: (handler) => handler });
  };
  show("title");
  for (const column of ["code", "ssn"] as const) assert.throws(() => show(column), { code: "E_ADMIN_TABLE" });
  // A reference that not everybody may read is no filter, which the resource would refuse.
  const readable = { issue_id: "change" } as const;
  const secretive = Policy.make(notes, (is) => ({ see: is.anyone(), change: (user) => ({ id: user.id }) }), {
    readable,
  });
  const policy = Policy.access(secretive, { database, actor: User.Web.user });
  const both = [Admin.table(issues, { texts, labelOf }), Admin.table(notes, { texts, labelOf, policy })];
  Admin.router({ ...options, tables: both, guard: (handler) => handler });
  const twice = Admin.table(issues, { texts, labelOf });
  const router = (): unknown => Admin.router({ ...options, tables: [twice, twice], guard: (handler) => handler });
  assert.throws(router, { code: "E_ADMIN_TABLE" });
});
