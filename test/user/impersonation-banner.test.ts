// The banner on the pages of an administrator who acts as a user.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, Language, Migration, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { de } from "limmat/language/de";
import { fr } from "limmat/language/fr";
import { capturedLog, configuration, type Page, queryLimit, visitor, type Visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { cheap } from "./fixture.ts";

const database = sqlite({ url: "sqlite::memory:" });
const audit = Audit.service({ database });
const user = User.service({ database, audit });
const migration = Migration.service({ database, onPending: "run" });
const language = Language.make("en", { en: {}, de: {}, fr: {} }, { framework: { de, fr } });

const content = "<!doctype html><html><head><title>Title</title></head><body>Page</body></html>";
const respond = (body: string, headers: Readonly<Record<string, string>> = {}): Web.Response =>
  Web.Response.text(body, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });
const streamed = (parts: readonly (string | Uint8Array)[]): Web.Response =>
  Web.Response.stream(parts, { headers: { "content-type": "text/html" } });
const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];

/** Pages that are not fragments. */
const pages: Readonly<Record<string, (request: Web.Request) => Web.Response | Promise<Web.Response>>> = {
  "/string": () => respond(content),
  "/attributes": () => respond(`<!doctype html><BODY class="a > b" data-x='>'\n>Page</BODY>`),
  "/misleading": () =>
    respond(`<!-- <body> --><html><script>"<body>"</script><title><body></title><style>/*<body>*/</style><body>Page`),
  "/without-tag": () => respond("\n<!doctype html><title>Title</title><p>Page"),
  "/html": () =>
    Web.Response.html(
      html`<html lang="en">
        <body>
          Page
        </body>
      </html>`,
    ),
  "/html-stream": () =>
    Web.Response.html(
      html.stream`<html lang="en">
        <body>
          ${Promise.resolve("Page")}
        </body>
      </html>`,
    ),
  "/stream": () => streamed(["<!doctype html><title>", first, second, "</title><bo", "dy>Page", first, second]),
  "/stream-without-tag": () => streamed(["<!doctype html><title>é</title>", Buffer.from("<p>Page")]),
  "/long-head": () => streamed(["<!doctype html>", `<!--${"x".repeat(70_000)}`, "--><body>", "Page"]),
  "/bytes": () => Web.Response.bytes(Buffer.from(content), { headers: { "content-type": "text/html" } }),
  "/standard": () =>
    Web.Response.stream(new Blob([content]).stream(), { headers: { "content-type": "text/html", etag: '"1"' } }),
  "/large": () => respond(content.replace("Page", `Page${"x".repeat(5000)}`)),
  "/inline": () => respond(content, { "content-disposition": "inline" }),
  "/public": () => respond(content, { "cache-control": "public, max-age=60" }),
  "/fails": () => {
    throw new Error("failed");
  },
  "/refused": () => {
    throw Web.failure(403, "no");
  },
  "/in-page": async (request) => respond(content.replace("Page", (await User.Web.user(request))?.email ?? "nobody")),
};
const policies: Readonly<Record<string, string>> = {
  "/policy/none": "default-src 'none'; style-src 'sha256-abc='; form-action 'none'",
  "/policy/default": "default-src 'none'",
  "/policy/inline": "default-src 'self'; style-src 'self' 'unsafe-inline'",
  "/policy/elements": "style-src 'unsafe-inline'; style-src-elem 'nonce-abc'; form-action https://example.com",
  "/policy/several": "form-action 'none', FORM-ACTION 'NONE'; form-action 'self'",
};
const others: Readonly<Record<string, () => Web.Response>> = {
  "/fragment": () => Web.Response.html(html`<p>Page</p>`),
  "/json": () => Web.Response.json({ page: "<!doctype html><body>" }),
  "/text": () => Web.Response.text("<!doctype html><body>"),
  "/download": () => respond(content, { "content-disposition": "attachment" }),
  "/empty": () => Web.Response.empty(),
};

const get = (routes: Readonly<Record<string, Web.Handler>>): Web.Router =>
  Web.choose(Object.entries(routes).map(([path, handler]) => Web.get(path, handler)));
const site = Web.choose(
  [
    get(pages),
    get(others),
    Web.get("/policy/:name", ({ params }) =>
      respond(content, { "content-security-policy": policies[`/policy/${params.name}`] ?? "" }),
    ),
    Web.post("/login/:email", async (request) =>
      User.Web.login(await user.findByEmail(request.params.email), request, Web.Response.empty()),
    ),
    Web.post("/out", (request) => User.Web.logout(request, respond(content))),
  ],
  {
    middlewares: [Web.Middleware.compression(), ...Web.Middleware.site(), User.Web.middleware(user, { preload: true })],
  },
);
const lazy = Web.choose([Web.get("/lazy", () => respond(content))], {
  middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
});
const router = Web.choose([site, lazy, User.Web.impersonationRouter({ user })]);
const global = [Web.Middleware.language(language), Web.Middleware.session(), User.Web.middleware(user)];
const app = App.create({
  services: [language, database, migration, audit, user, Web.Http.service({ router, middlewares: global })],
});
let ada: User.User;
const logIn = async (): Promise<Visitor> => {
  const browser = visitor(app);
  await browser.post("/login/root@example.com");
  return browser;
};
const actAsAda = async (): Promise<Visitor> => {
  const browser = await logIn();
  assert.equal((await browser.post("/impersonation", { user: ada.id, reason: "ticket 7" })).status, 303);
  return browser;
};
const banners = ({ body }: Page): number => body.match(/<aside\s+id="limmat-banner"/g)?.length ?? 0;
const policyOf = ({ headers }: Page): string => headers.get("content-security-policy") ?? "";

describe("the banner of an impersonation", () => {
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
    ada = await user.createUser({ email: "o'hara&co@example.com" });
    await user.createAdmin({ email: "root@example.com" });
  });

  test("is on every page, once, at the begin of its body", async () => {
    using _ = capturedLog("error");
    const browser = await actAsAda();
    for (const path of [...Object.keys(pages), "/no-route", "/string/no-route"]) {
      const shown = await browser.get(path);
      assert.equal(banners(shown), 1, `${path}\n${shown.body}`);
      assert.equal(shown.headers.get("cache-control"), "no-store", path);
      assert.equal(shown.headers.get("etag"), null, path);
      const length = shown.headers.get("content-length");
      if (length !== null) assert.equal(Number(length), Buffer.byteLength(shown.body), path);
      if (!/without-tag|long-head/.test(path))
        assert.match(shown.body, /<body[^]*?>\s*<style>[^<]*<\/style><aside\s+id="limmat-banner"[^]*<\/aside>/i, path);
    }
    const wrongMethod = await browser.post("/string");
    assert.deepEqual([wrongMethod.status, banners(wrongMethod)], [405, 1]);
  });

  test("leaves the rest of the page as it is", async () => {
    const browser = await actAsAda();
    const own = await logIn();
    for (const path of Object.keys(pages).filter((name) => !["/fails", "/refused", "/in-page"].includes(name))) {
      const { body } = await browser.get(path);
      const withoutIt = body.replace(/<style>html\{[^<]*<\/style><aside\s+id="limmat-banner"[^]*<\/aside>/, "");
      assert.equal(withoutIt, (await own.get(path)).body, path);
    }
  });

  test("is not on fragments, downloads and other responses", async () => {
    const browser = await actAsAda();
    const own = await logIn();
    for (const path of Object.keys(others)) {
      const shown = await browser.get(path);
      assert.equal(shown.body, (await own.get(path)).body, path);
    }
  });

  test("is on pages for clients that compress, or have the page already", async () => {
    const [browser, own] = [await actAsAda(), await logIn()];
    const etag = (await own.get("/string")).headers.get("etag") ?? assert.fail("no etag");
    const send = (visiting: Visitor, path: string, headers: Readonly<Record<string, string>>): Promise<Response> => {
      const cookie = [...visiting.cookies].map((pair) => pair.join("=")).join("; ");
      return app.request(path, { headers: { accept: "text/html", cookie, ...headers } });
    };
    assert.equal((await send(own, "/large", { "accept-encoding": "gzip" })).headers.get("content-encoding"), "gzip");
    assert.equal((await send(own, "/string", { "if-none-match": etag })).status, 304);
    for (const headers of [{ "accept-encoding": "gzip" }, { "if-none-match": etag }] as const) {
      for (const path of ["/large", "/string"])
        assert.match(await (await send(browser, path, headers)).text(), /<aside\s+id="limmat-banner"/);
    }
  });

  test("names the user, escaped, and ends the impersonation with a form", async () => {
    const browser = await actAsAda();
    using _ = configuration({ CHECK_CSRF: "true" });
    const { body } = await browser.get("/no-route");
    assert.match(body, /<p>You are acting as o&#39;hara&amp;co@example\.com\. What you do is recorded\.<\/p>/);
    assert.match(body, /<form method="post" action="\/impersonation\/end">/);
    assert.match(body, /<aside\s+id="limmat-banner"\s+lang="en"\s+dir="ltr"\s+aria-label="Acting as another user"\s*>/);
    // The token is from an error page of a path without a route.
    assert.equal((await browser.post("/impersonation/end")).status, 303);
    const page = await browser.get("/in-page");
    assert.match(page.body, /root@example\.com/);
    assert.equal(banners(page), 0);
  });

  test("speaks the language of the request, on error pages as well", async () => {
    const browser = await actAsAda();
    await browser.get("/string?language=de");
    for (const path of ["/string", "/no-route"]) {
      assert.match(
        (await browser.get(path)).body,
        /lang="de"\s+dir="ltr"\s+aria-label="Handeln [^>]*>\s*<p>Sie handeln als/,
      );
    }
    await browser.get("/string?language=fr");
    assert.match((await browser.get("/string")).body, /<p>Vous agissez en tant que [^<]*enregistrées/);
  });

  test("is allowed by the policy of every page, and changes nothing else in it", async () => {
    using _ = capturedLog("error");
    const browser = await actAsAda();
    const own = await logIn();
    const source = /'sha256-[\w+/]{43}='/.exec(policyOf(await browser.get("/string")))?.[0] ?? "";
    assert.notEqual(source, "");
    const ownPolicy = policyOf(await own.get("/string"));
    assert.equal(
      policyOf(await browser.get("/string")),
      ownPolicy.replace("style-src 'self'", `style-src 'self' ${source}`),
    );
    const expected: Readonly<Record<string, string>> = {
      "/policy/none": `default-src 'none'; style-src 'sha256-abc=' ${source}; form-action 'self'`,
      "/policy/default": `default-src 'none'; style-src ${source}`,
      "/policy/inline": policies["/policy/inline"] ?? "",
      "/policy/elements": `style-src 'unsafe-inline'; style-src-elem 'nonce-abc' ${source}; form-action https://example.com 'self'`,
      "/policy/several": "form-action 'self',form-action 'self'",
    };
    for (const [path, policy] of Object.entries(expected))
      assert.equal(policyOf(await browser.get(path)), policy, path);
    for (const path of ["/fails", "/refused", "/no-route"]) {
      const policy = policyOf(await browser.get(path));
      assert.ok(policy.includes(source) && policy.includes("form-action 'self'"), `${path}: ${policy}`);
    }
  });

  test("is not on the response that ends the login", async () => {
    const browser = await actAsAda();
    assert.equal(banners(await browser.post("/out")), 0);
    assert.equal(banners(await browser.get("/string")), 0);
  });

  test("costs others no statement, and leaves their pages cacheable", async () => {
    const own = await logIn();
    for (const [browser, statements] of [
      [own, 1],
      [visitor(app), 0],
    ] as const) {
      const { headers } = await queryLimit(statements, () => browser.get("/public"));
      assert.equal(headers.get("cache-control"), "public, max-age=60");
      await queryLimit(0, () => browser.get("/lazy"));
    }
  });

  test("is required: without the middlewares for all paths, nobody can act as another user", async () => {
    const [session, current] = [Web.Middleware.session(), User.Web.middleware(user)];
    for (const middlewares of [[], [session], [current], [current, session]]) {
      using log = capturedLog("error");
      const application = Web.Http.service({ router, middlewares });
      const response = await application.fetch(new Request("http://localhost/impersonation", { method: "POST" }));
      assert.equal(response.status, 500);
      assert.match(
        String(log.entries[0]?.error),
        /list Web\.Middleware\.session\(\) and User\.Web\.middleware\(user\)/,
      );
    }
  });

  test("an impersonation without an audit trail, or of more than a day, fails at start", () => {
    const service = User.service({ database });
    assert.equal(service.impersonation, undefined);
    const setup = { code: "E_USER_IMPERSONATION_SETUP" };
    assert.throws(() => User.Web.impersonationRouter({ user: service }), setup);
    for (const durationMs of [0, -1, Number.NaN, 86_400_001])
      assert.throws(() => User.Web.impersonationRouter({ user, durationMs }), setup);
  });
});
