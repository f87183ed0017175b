// Pages of the audit trail.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { App, Cleaner, Configuration, Migration, Time, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { capturedLog, fakeClock, type Visitor, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../../config/index.ts";

const database = sqlite({ url: "sqlite::memory:" });
const audit = Audit.service({ database });
const user = User.service({ database, audit });
const layout: Audit.Web.AuditRouterOptions["layout"] = (_, title, content) => html`<title>${title}</title> ${content}`;
const admins: Web.Middleware = (handler) => (request) =>
  request.header("x-admin") === "yes" ? handler(request) : Web.Response.text("for admins", { status: 403 });
const options = { audit, layout, guards: [admins] } as const;
const auditing = Audit.Web.middleware(audit, { actor: () => ({ system: "console" }) });
const middlewares = [...Web.Middleware.site(), auditing];
const actions = { "note.delete": "Note deleted" };
const router = Web.choose([Audit.Web.router({ ...options, user, actions, middlewares })], { scope: "/admin" });
const app = App.create({
  services: [database, user, Migration.service({ database, onPending: "run" }), Web.Http.service({ router })],
});
const admin: Visitor = visitor({
  request: (path, init) => app.request(path, { ...init, headers: { "x-admin": "yes", accept: "text/html" } }),
});

before(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  using _ = capturedLog("error");
  await app.start({ server: false });
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
});
beforeEach(() => Cleaner.cleanAll());

const idsIn = (body: string): readonly string[] =>
  [...body.matchAll(/href="\/\w+\/audit\/([\w-]{36})"/g)].map(([, id = ""]) => id);
const find = async (query: string): Promise<number> => idsIn((await admin.get(`/admin/audit${query}`)).body).length;

test("the list shows who did what to which row in words, newest first, in pages", async () => {
  using clock = fakeClock(new Date("2026-01-31T12:00:00Z"));
  const ada = await user.createUser({ email: "ada@example.com" });
  await clock.advance(Time.minutes(1));
  const actor = { user: ada.id, impersonator: ada.id };
  await audit.record({ action: "note.delete", actor, subject: { table: "notes", id: "<7>" } });
  await clock.advance(Time.minutes(1));
  await audit.record({ action: "mail.send", actor: { system: "reminders" } });
  await audit.record({ action: "mail.send" }, { ctx: [["command", "mail.flush"]] });
  const { status, headers, body } = await admin.get("/admin/audit");
  assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
  const row = 'href="/admin/audit\\?subject_table=notes&amp;subject_id=%3C7%3E"\\s*>notes &lt;7&gt;<';
  const words =
    "12:02 UTC[^]*mail\\.send[^]*reminders[^]*12:01 UTC[^]*Note deleted[^]*ada@example\\.com[^]*by ada@example\\.com";
  assert.match(body, new RegExp(`${words}[^]*${row}[^]*12:00 UTC[^]*User added[^]*user\\.create[^]*user_users ada@`));
  assert.doesNotMatch(body, /<7>/);
  const first = await admin.get("/admin/audit?limit=2");
  const [, next = ""] = /href="([^"]*)"[^>]*>Next/.exec(first.body) ?? [];
  const second = await admin.get(next.replaceAll("&amp;", "&"));
  const all = idsIn(body);
  assert.deepEqual([...idsIn(first.body), ...idsIn(second.body)], all);
  assert.equal(new Set(all).size, 4);
  assert.match(body, /command <span class="meta">mail\.flush</);
});

test("the actions of the user service are shown in words", async () => {
  for (const end of ["start", "end"]) await audit.record({ action: `user.impersonate.${end}` });
  const { body } = await admin.get("/admin/audit");
  assert.match(body, /Impersonation ended[^]*Impersonation started/);
});

test("without a user service, the list shows ids, and takes any action", async () => {
  const ownDatabase = sqlite({ url: "sqlite::memory:" });
  const own = Audit.service({ database: ownDatabase });
  const plain = Audit.Web.router({ ...options, audit: own, guards: [(handler) => handler] });
  await using stack = new AsyncDisposableStack();
  const plainApp = App.create({
    services: [
      ownDatabase,
      own,
      Migration.service({ database: ownDatabase, onPending: "run" }),
      Web.Http.service({ router: plain }),
    ],
  });
  using _ = capturedLog("error");
  await plainApp.start({ server: false });
  stack.defer(() => plainApp.stop());
  const id = "4d1f8e9c-2f3a-4f0e-9d3b-6f0b7c1a2b3c";
  await own.record({ action: "constructor", actor: { user: id } });
  const { body } = await visitor(plainApp).get(`/audit?user_id=${id}`);
  assert.match(body, new RegExp(`<td[^>]*>${id}`));
  assert.match(body, /<input[^>]*name="action"/);
  assert.match(body, /<td[^>]*>constructor</);
  using log = capturedLog("error");
  assert.equal((await visitor(plainApp).get("/audit.csv")).status, 500, "a download that names nobody");
  assert.match(String(log.entries[0]?.error), /Audit\.Web\.middleware/);
  assert.equal((await own.search())[1], 1);
});

test("the list is filtered by action, user, row and period", async () => {
  using clock = fakeClock(new Date("2026-01-31T12:00:00Z"));
  const ada = await user.createUser({ email: "ada@example.com" });
  const root = await user.createAdmin({ email: "root@example.com" });
  const actor = { user: ada.id, impersonator: root.id };
  await audit.record({ action: "a", actor, subject: { table: "notes", id: "1" } });
  await clock.advance(Time.days(1));
  await audit.record({ action: "b", subject: { table: "notes", id: "2" } });
  for (const [query, count] of [
    ["", 4],
    ["?action=a", 1],
    ["?user_id=ADA%40example.com", 1],
    [`?user_id=${ada.id.toUpperCase()}`, 1],
    ["?user_id=nobody%40example.com", 0],
    ["?impersonator_id=root%40example.com", 1],
    [`?impersonator_id=${root.id}&user_id=ADA%40example.com`, 1],
    ["?impersonator_id=ada%40example.com", 0],
    ["?impersonator_id=nobody", 0],
    ["?user_id=nobody", 0],
    ["?subject_table=notes", 2],
    ["?subject_table=notes&subject_id=2", 1],
    ["?created_at_from=2026-02-01", 1],
    ["?created_at_to=2026-01-31&subject_table=notes", 1],
    ["?action=a&action=", 0],
  ] as const)
    if (count === 0) assert.match((await admin.get(`/admin/audit${query}`)).body, /No audit trail entries found|once/);
    else assert.equal(await find(query), count, query);
  using _ = capturedLog();
  for (const [query, status] of [
    ["?created_at_from=x", 422],
    ["?limit=1000", 200],
    ["?limit=0", 400],
    ["?after=x", 400],
  ] as const)
    assert.equal((await admin.get(`/admin/audit${query}`)).status, status, query);
});

test("the page of an entry shows its facts, and personal data as such", async () => {
  await audit.record({
    action: "note.delete",
    actor: { system: "<script>" },
    subject: { table: "notes", id: "1" },
    details: { reason: "<double>", lines: [1] },
    personal: { to: "ada@example.com" },
  });
  const [id] = idsIn((await admin.get("/admin/audit")).body);
  const { status, body } = await admin.get(`/admin/audit/${id}`);
  assert.equal(status, 200);
  const parts = [
    "<h1>Note deleted",
    "&lt;script>",
    "Details",
    "reason",
    "&lt;double",
    "\\[1\\]",
    "Personal data",
    "to<",
    "ada@",
  ];
  assert.match(body, new RegExp(parts.join("[^]*").replaceAll("script>", "script")));
  assert.match(body, /href="\/admin\/audit\?subject_table=notes&amp;subject_id=1">All entries of this row/);
  assert.doesNotMatch(body, /<script>|<double>/);
  using _ = capturedLog();
  for (const path of ["/admin/audit/nothing", "/admin/audit/01a2279b-22cf-76d5-8429-c436a4091efb"])
    assert.equal((await admin.get(path)).status, 404);
});

test("a CSV file has all entries of the query, without formulas, and its download is recorded", async () => {
  await database.transaction(async () => {
    for (let number = 0; number < 1003; number++) await audit.record({ action: "a", details: { number } });
  });
  await audit.record({ action: "b", actor: { system: "=1+1" }, personal: { to: "x" } });
  const { status, headers, body } = await admin.get("/admin/audit.csv?action=a");
  assert.equal(status, 200);
  assert.match(headers.get("content-disposition") ?? "", /audit\.csv/);
  assert.equal(headers.get("cache-control"), "no-store");
  const [heading, ...lines] = body.trimEnd().split("\r\n");
  assert.match(heading ?? "", /"id","created_at","action","user_id"/);
  assert.equal(lines.length, 1003);
  assert.match(lines[0] ?? "", /"\{""number"":1002\}"/);
  assert.match((await admin.get("/admin/audit.csv?action=b&sort=asc")).body, /"'=1\+1"[^]*"\{""to"":""x""\}"/);
  assert.equal((await admin.get("/admin/audit.csv?user_id=nobody")).body.trimEnd().split("\r\n").length, 1);
  const ada = await user.createUser({ email: "ada@example.com" });
  await admin.get("/admin/audit.csv?user_id=ada%40example.com");
  const [[last], exports] = await audit.search({ filterBy: { action: "audit.export" } });
  // The id stays a pseudonym, an address does not.
  assert.deepEqual([exports, last?.system, last?.details], [3, "console", { query: `?user_id=${ada.id}` }]);
  using _ = capturedLog();
  assert.equal((await admin.get("/admin/audit.csv?created_at_from=x")).status, 400);
});

test("nobody sees the pages but those whom the guards let pass", async () => {
  await audit.record({ action: "a" });
  const [[entry]] = await audit.search();
  for (const path of ["/admin/audit", "/admin/audit.csv", `/admin/audit/${entry?.id}`]) {
    const refused = await visitor(app).get(path);
    assert.deepEqual([refused.status, refused.body], [403, "for admins"], path);
  }
  assert.equal((await audit.search())[1], 1);
});

test("without a guard there are no pages", () => {
  // @ts-expect-error A guard is required.
  assert.throws(() => Audit.Web.router({ audit, layout }), { code: "E_AUDIT_GUARD" });
  // @ts-expect-error At least one.
  assert.throws(() => Audit.Web.router({ audit, layout, guards: [] }), { code: "E_AUDIT_GUARD" });
  // @ts-expect-error A middleware.
  assert.throws(() => Audit.Web.router({ audit, layout, guards: [undefined] }), { code: "E_AUDIT_GUARD" });
});
