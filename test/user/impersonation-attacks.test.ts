// Attacks on impersonation: work in streamed bodies, entries that name the wrong administrator, pages that hide the banner.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, Migration, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, type Visitor, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { cheap } from "./fixture.ts";

const database = sqlite({ url: "sqlite::memory:" });
const audit = Audit.service({ database });
const user = User.service({ database, audit });
let [ada, bob, root] = [{} as User.User, {} as User.User, {} as User.User];
let handler: Web.Handler = () => Web.Response.empty();

const site = Web.choose(
  [
    Web.post("/login/:email", async (request) =>
      User.Web.login(await user.findByEmail(request.params.email), request, Web.Response.empty()),
    ),
    Web.get("/page", (request) => handler(request)),
  ],
  { middlewares: Web.Middleware.site() },
);
const http = Web.Http.service({
  router: Web.choose([site, User.Web.impersonationRouter({ user })]),
  middlewares: [Web.Middleware.session(), User.Web.middleware(user)],
});
const migration = Migration.service({ database, onPending: "run" });
const app = App.create({ services: [database, migration, audit, user, http] });

const actAs = async (admin: User.User, target: User.User, reason = "ticket 7"): Promise<Visitor> => {
  const browser = visitor(app);
  await browser.post(`/login/${admin.email}`);
  await browser.post("/impersonation", { user: target.id, reason });
  return browser;
};
const find = async (action: string): Promise<readonly Audit.AuditEntry[]> =>
  (await audit.search({ filterBy: { action } }))[0];

describe("an attack on impersonation", () => {
  before(async () => {
    Configuration.store([["FRAMEWORK_ENV", "test"], ...Object.entries(cheap)]);
    await app.start({ server: false });
  });
  after(async () => {
    await app.stop();
    ConfigurationInternals.reset();
  });
  beforeEach(async () => {
    await Cleaner.cleanAll();
    ada = await user.createUser({ email: "ada@example.com" });
    bob = await user.createUser({ email: "bob@example.com" });
    root = await user.createAdmin({ email: "root@example.com" });
  });

  test("work in a streamed body is refused and recorded as work before the response", async () => {
    const browser = await actAs(root, ada);
    const work = async (): Promise<string> => {
      await audit.record({ action: "in.stream" });
      return user.setEmail(ada, "evil@example.com").then(
        () => "changed",
        (failure: unknown) => String((failure as { readonly code?: unknown }).code),
      );
    };
    async function* chunks(): AsyncGenerator<string> {
      yield await work();
    }
    async function* events(): AsyncGenerator<{ readonly data: string }> {
      yield { data: await work() };
    }
    for (const respond of [
      () => Web.Response.stream(chunks(), { headers: { "content-type": "text/html" } }),
      () => Web.Response.stream(ReadableStream.from(chunks()).pipeThrough(new TextEncoderStream())),
      () => Web.Response.events(events()),
    ]) {
      handler = respond;
      assert.match((await browser.get("/page")).body, /E_IMPERSONATED/);
    }
    assert.equal((await user.find(ada.id)).email, ada.email);
    assert.deepEqual(
      (await find("in.stream")).map(({ user_id, impersonator_id }) => [user_id, impersonator_id]),
      Array.from({ length: 3 }, () => [ada.id, root.id]),
    );
  });

  test("the end of the impersonation of another administrator names that administrator", async () => {
    const second = await user.createAdmin({ email: "second@example.com" });
    await actAs(second, bob);
    const browser = await actAs(root, ada);
    handler = async () => {
      await user.deactivate(bob);
      return Web.Response.empty();
    };
    assert.equal((await browser.get("/page")).status, 204);
    const [end, ...others] = await find("user.impersonate.end");
    assert.deepEqual([end?.user_id, end?.impersonator_id, others], [bob.id, second.id, []]);
    assert.equal((await find("user.deactivate"))[0]?.impersonator_id, root.id);
  });

  test("no text before the body of a page hides the banner", async () => {
    const browser = await actAs(root, ada);
    const shown = '<style>…</style><aside id="limmat-banner">';
    for (const [page, type, expected] of [
      ['<html data-a="<body>"><body>Page', "text/html", `<html data-a="<body>"><body>${shown}`],
      [`<html><meta content='a <body> b'><body>Page`, "text/html", `<html><meta content='a <body> b'><body>${shown}`],
      ["<!--><html><body>Page<!-- -->", "text/html", `<!--><html><body>${shown}`],
      ["<!-- a --!><html><body>Page", "text/html", `<!-- a --!><html><body>${shown}`],
      ["<!-- a -->\n<!-- b --><!doctype html><p>Page", "text/html", `<p>Page${shown}`],
      ["<html><body/>Page", "text/html", `<body/>${shown}`],
      ["<html><body>Page", " text/html ; charset=utf-8", `<html><body>${shown}`],
    ] as const) {
      handler = () => Web.Response.text(page, { headers: { "content-type": type } });
      const body = (await browser.get("/page")).body.replace(/<style>[^<]*/, "<style>…");
      assert.ok(
        body.replace(/(<aside\s+id="limmat-banner")[^>]*/, '<aside id="limmat-banner"').includes(expected),
        body,
      );
    }
  });

  test("a reason that shows nothing is refused", async () => {
    using _ = capturedLog("warning");
    for (const reason of ["\u200b", "\u202e\u2060", "…", "--"]) await actAs(root, ada, reason);
    assert.deepEqual(await find("user.impersonate.start"), []);
    await actAs(root, ada, "№ 7");
    assert.equal((await find("user.impersonate.start"))[0]?.details?.["reason"], "№ 7");
  });
});
