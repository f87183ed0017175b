import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import * as fc from "fast-check";
import { App, Cleaner, Configuration, isError, Log, Migration, Random, Time, User, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, configuration, runCommand, type Visitor, visitor } from "limmat/testing";
import { assertAnswer, type Document } from "../../src/web/openapi/document-checker.test.ts";
import { cheap, userTexts } from "./fixture.ts";

const email = "heidi@example.com";
const password = "a fine long password";
const database = sqlite({ url: ":memory:" });
const users = User.service({ database });
const tokens = new Map<string, string>();

const currentName = async (request: Web.Request): Promise<string> => (await User.Web.user(request))?.email ?? "nobody";
const showUser = async (request: Web.Request): Promise<Web.Response> => Web.Response.text(await currentName(request));
const showCurrent = (request: Web.Request): Web.Response =>
  Web.Response.text(User.Web.current(request)?.email ?? "nobody");
const formField = async (request: Web.Request, name: string): Promise<string> =>
  new URLSearchParams([...(await request.form())].map(([key, value]) => [key, value])).get(name) ?? "";

const pages = Web.choose(
  [
    Web.get("/", showUser),
    Web.get("/twice", async (request) =>
      Web.Response.text(`${await currentName(request)} ${await currentName(request)}`),
    ),
    Web.get("/fails", async (request) => {
      throw new Error(`failed for ${(await currentName(request)).length}`);
    }),
    Web.get("/static", () => Web.Response.text("static")),
    Web.get("/csrf", (request) => Web.Response.text(Web.Csrf.find(request))),
    Web.get("/kept", (request) => Web.Response.text(Web.Session.find("kept", request) ?? "")),
    Web.post("/keep", () => Web.Session.set([["kept", "yes"]], Web.Response.empty())),
    Web.post("/login", async (request) => {
      const options = { client: User.Web.client(request) };
      const result = await users.login(
        await formField(request, "email"),
        await formField(request, "password"),
        options,
      );
      if (!result.ok) return Web.Response.text(result.error, { status: 422 });
      const response = Web.Response.redirect(User.Web.returnPath(request, "/home"));
      return User.Web.login(result.value, request, response);
    }),
    Web.post("/login-with-cart", async (request) =>
      User.Web.login(await users.findByEmail(email), request, Web.Response.empty(), { keep: ["kept"] }),
    ),
    Web.post("/logout", (request) => User.Web.logout(request, Web.Response.redirect("/"))),
    Web.post("/logout-everywhere", (request) => User.Web.logoutEverywhere(request, Web.Response.redirect("/"))),
    Web.post("/logout-elsewhere", async (request) => {
      await User.Web.logoutElsewhere(request);
      return Web.Response.redirect("/");
    }),
    Web.get("/sessions", async (request) => Web.Response.json(await User.Web.sessions(request))),
    Web.post("/change", async (request) => {
      const current = await User.Web.user(request);
      assert.ok(current !== undefined);
      const change = { old: password, password: "another password", confirmation: "another password" };
      const result = await users.updatePassword(current, change);
      assert.ok(result.ok);
      return User.Web.login(result.value, request, Web.Response.redirect("/"));
    }),
    Web.post("/in-and-out", async (request) => {
      const user = await users.findByEmail(email);
      const loginResponse = await User.Web.login(user, request, Web.Response.empty());
      const during = await currentName(request);
      const logoutResponse = await User.Web.logout(request, loginResponse);
      return Web.Response.text(`${during} ${await currentName(request)} ${logoutResponse.status}`);
    }),
    Web.choose([Web.get("/account", showUser), Web.post("/account", showUser)], {
      middlewares: [User.Web.requireUser({ loginPath: "/login" })],
    }),
    Web.choose(
      [Web.get("/cached", () => Web.Response.text("x", { headers: { "cache-control": "private, max-age=60" } }))],
      {
        middlewares: [User.Web.requireUser()],
      },
    ),
    Web.get("/lazy", showCurrent),
    Web.get("/lazy/awaited", async (request) => {
      await User.Web.user(request);
      return showCurrent(request);
    }),
    Web.choose([Web.get("/lazy/guarded", showCurrent)], { middlewares: [User.Web.requireUser()] }),
    Web.choose([Web.get("/strict", showUser)], { middlewares: [User.Web.requireUser()] }),
    Web.choose([Web.get("/admin", showUser)], { middlewares: [User.Web.requireAdmin({ loginPath: "/login" })] }),
    Web.choose([Web.get("/confirmed", showUser), Web.post("/confirmed", showUser)], {
      middlewares: [User.Web.requireConfirmed({ loginPath: "/login", confirmPath: "/confirm" })],
    }),
    Web.choose([Web.get("/limited", showUser)], {
      middlewares: [Web.Middleware.requestLimit({ limit: 2, periodMs: Time.hours(1), key: User.Web.byUser })],
    }),
  ],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(users)] },
);
const withoutMiddleware = Web.choose(
  [Web.get("/without-middleware", showUser), Web.get("/without-middleware/current", showCurrent)],
  { middlewares: Web.Middleware.site() },
);
// Pages whose layout shows the user.
const preloaded = Web.choose(
  [
    Web.get("/header", showCurrent),
    Web.get("/header/twice", async (request) =>
      Web.Response.text(`${User.Web.current(request)?.email} ${await currentName(request)}`),
    ),
    Web.choose([Web.get("/header/guarded", showCurrent)], {
      // Listed again without `preload`, as in the routes of a service.
      middlewares: [User.Web.middleware(users), User.Web.requireUser()],
    }),
    Web.post("/header/login", async (request) => {
      const response = await User.Web.login(await users.findByEmail(email), request, Web.Response.empty());
      const during = User.Web.current(request)?.email;
      await User.Web.logout(request, response);
      return Web.Response.text(`${during} ${User.Web.current(request)?.email}`);
    }),
  ],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(users, { preload: true })] },
);
const api = Web.choose(
  [
    Web.get("/who", showUser),
    Web.get("/current", showCurrent),
    Web.choose([Web.get("/admin", showUser)], { middlewares: [User.Web.requireAdmin()] }),
    Web.post("/login", async (request) =>
      User.Web.login(await users.findByEmail(email), request, Web.Response.empty()),
    ),
  ],
  {
    scope: "/api",
    middlewares: [...Web.Middleware.api(), User.Web.userFromToken(users, (token) => tokens.get(token))],
  },
);

const described = { describe: { responses: { 200: { type: "string" } } } } as const;

// Another scheme, with an optional token.
const shop = Web.choose(
  [
    Web.get("/who", showUser, { describe: {} }),
    Web.get("/mine", async (request) => Web.Response.text((await User.Web.userOrThrow(request)).email)),
    Web.get("/strict", showUser, { middlewares: [User.Web.requireUser()], ...described }),
    Web.get("/confirmed", showUser, { middlewares: [User.Web.requireConfirmed()], ...described }),
    Web.get("/admin", showUser, { middlewares: [User.Web.requireAdmin()], ...described }),
  ],
  {
    scope: "/shop",
    middlewares: [User.Web.userFromToken(users, (token) => tokens.get(token), { scheme: "Token", optional: true })],
  },
);

const document = Web.OpenApi.router({ title: "Shop", version: "1" });

const migration = Migration.service({ database, onPending: "run" });
const http = Web.Http.service({
  router: Web.choose([pages, preloaded, withoutMiddleware, api, shop, document]),
  dependencies: () => [migration],
});
const app = App.create({ services: [users, migration, http] });
let heidi: User.User;

before(async () => {
  Log.configure({ reporters: [] });
  Configuration.store(Object.entries(cheap));
  await app.start({ server: false });
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
  LogInternals.reset();
});
beforeEach(async () => {
  await Cleaner.cleanAll();
  heidi = await users.createUser({ email, password });
});

/** Returns a logged-in visitor. */
async function loggedIn(): Promise<Visitor> {
  const client = visitor(app);
  await send(client, "/login", { email, password });
  assert.equal((await client.get("/")).body, email);
  return client;
}

async function send(
  client: Visitor,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): ReturnType<Visitor["post"]> {
  const { body: csrf } = await client.get("/csrf");
  return client.post(path, { csrf, ...fields });
}

const cookieOf = (client: Visitor): string => [...client.cookies].map(([key, value]) => `${key}=${value}`).join("; ");

const sessionCookieOf = (response: Response): string =>
  /^_session=[^;]*/.exec(response.headers.getSetCookie().find((cookie) => cookie.startsWith("_session=")) ?? "")?.[0] ??
  "";

/** Returns the user of a request with this cookie. */
async function replay(cookie: string): Promise<string> {
  return (await app.request("/", { headers: { cookie } })).text();
}

/** Returns the code of the error that a request fails with. */
async function errorCodeOf(path: string, init?: RequestInit): Promise<string | undefined> {
  const errors: unknown[] = [];
  Log.configure({ reporters: [{ report: ({ error }) => void errors.push(error) }] });
  assert.equal((await app.request(path, init)).status, 500);
  Log.configure({ reporters: [] });
  const [failure] = errors.filter((error) => error !== undefined);
  return isError(failure) ? failure.code : undefined;
}

describe("login", () => {
  test("starts a session for the user", async () => {
    const client = visitor(app);
    assert.equal((await client.get("/")).body, "nobody");
    assert.equal(client.cookies.size, 0);
    const wrong = await send(client, "/login", { email, password: "wrong" });
    assert.equal(wrong.status, 422);
    assert.equal((await client.get("/")).body, "nobody");
    const right = await send(client, "/login", { email, password });
    assert.deepEqual([right.status, right.location], [303, "/home"]);
    assert.equal(right.headers.get("cache-control"), "no-store");
    assert.equal((await client.get("/")).body, email);
  });

  test("discards the previous session, so a planted session is useless (session fixation)", async () => {
    const attacker = visitor(app);
    const { body: csrf } = await attacker.get("/csrf");
    await attacker.post("/keep", { csrf });
    const planted = cookieOf(attacker);
    // The victim's browser sends the planted cookie, logs in, and gets a new one.
    const response = await app.request("/login", {
      method: "POST",
      headers: { cookie: planted },
      body: new URLSearchParams({ csrf, email, password }),
    });
    const cookie = sessionCookieOf(response);
    assert.equal(await replay(cookie), email);
    assert.notEqual(cookie, planted);
    assert.equal(await replay(planted), "nobody");
    assert.equal(await (await app.request("/kept", { headers: { cookie } })).text(), "");
    const forged = await app.request("/keep", {
      method: "POST",
      headers: { cookie },
      body: new URLSearchParams({ csrf }),
    });
    assert.equal(forged.status, 403);
  });

  test("keeps the values of the session that the application names, and nothing else of it", async () => {
    const client = visitor(app);
    await send(client, "/keep");
    const { body: oldToken } = await client.get("/csrf");
    assert.equal((await send(client, "/login-with-cart")).status, 204);
    assert.deepEqual([(await client.get("/")).body, (await client.get("/kept")).body], [email, "yes"]);
    assert.equal((await client.post("/keep", { csrf: oldToken })).status, 403);
    assert.equal((await send(client, "/logout")).status, 303);
    assert.equal((await client.get("/kept")).body, "");
  });

  test("in a logged-in browser ends the previous session", async () => {
    const client = await loggedIn();
    const first = cookieOf(client);
    await send(client, "/login", { email, password });
    assert.equal((await client.get("/")).body, email);
    assert.notEqual(cookieOf(client), first);
    assert.equal(await replay(first), "nobody");
  });

  test("is kept when the application changes its session data", async () => {
    const client = await loggedIn();
    await send(client, "/keep");
    assert.equal((await client.get("/kept")).body, "yes");
    assert.equal((await client.get("/")).body, email);
  });

  test("and logout take effect within the same request", async () => {
    const client = visitor(app);
    assert.equal((await send(client, "/in-and-out")).body, `${email} nobody 204`);
  });
});

describe("a copy of the cookie is invalid immediately", () => {
  const endings: Readonly<Record<string, (client: Visitor) => Promise<unknown>>> = {
    logout: (client) => send(client, "/logout"),
    "logout everywhere": (client) => send(client, "/logout-everywhere"),
    "a change of the password": (client) => send(client, "/change"),
    "a new password": () => users.setPassword(heidi, { password: "some other one", confirmation: "some other one" }),
    deactivation: () => users.deactivate(heidi),
    "deactivation and activation": async () => users.activate(await users.deactivate(heidi)),
    deletion: () => users.delete(heidi),
  };
  for (const [ending, end] of Object.entries(endings)) {
    test(`after ${ending}`, async () => {
      const client = await loggedIn();
      const copy = cookieOf(client);
      assert.equal(await replay(copy), email);
      await end(client);
      assert.equal(await replay(copy), "nobody");
      assert.equal(await replay(copy), "nobody");
    });
  }

  test("but the browser that changed the password is still logged in, with a new session", async () => {
    const client = await loggedIn();
    await send(client, "/change");
    assert.equal((await client.get("/")).body, email);
  });
});

test("failed logins of others in the same network do not lock a browser that logged in before", async () => {
  const [owner, other] = [await loggedIn(), await loggedIn()];
  for (const client of [owner, other]) await send(client, "/logout");
  const device = owner.cookies.get("_device") ?? "";
  const stranger = visitor(app);
  for (let failure = 1; failure <= 5; failure++) await send(stranger, "/login", { email, password: "wrong" });
  const locked = await send(stranger, "/login", { email, password });
  assert.deepEqual([locked.status, locked.body], [422, userTexts.loginThrottled(1)]);
  const login = await send(owner, "/login", { email, password });
  assert.equal(login.status, 303);
  const cookie = login.headers.getSetCookie().find((header) => header.startsWith("_device="));
  assert.match(cookie ?? "", /; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  assert.equal(device.split(".")[1], owner.cookies.get("_device")?.split(".")[1], "the id of the device stays");
  // A planted second cookie makes the browser unknown.
  const twice = { cookie: `${cookieOf(other)}; _device=${device}; ${cookieOf(stranger)}` };
  const { body: csrf } = await stranger.get("/csrf");
  const body = new URLSearchParams({ csrf, email, password });
  assert.equal((await app.request("/login", { method: "POST", headers: twice, body })).status, 422);
  assert.equal((await send(other, "/login", { email, password })).status, 303);
});

test("in production, no other host can set the device cookie", async () => {
  const hashing = { PASSWORD_MEMORY: "19456", PASSWORD_PASSES: "2" };
  const secret = { FRAMEWORK_SECRET: "a secret of this test, 32 bytes long" };
  using _ = configuration({ ...hashing, ...secret, FRAMEWORK_ENV: "production" });
  const logIn = async (cookie: string, typed = password): Promise<Response> => {
    const form = await app.request("/csrf");
    const [session = ""] = (form.headers.getSetCookie()[0] ?? "").split(";");
    const body = new URLSearchParams({ csrf: await form.text(), email, password: typed });
    return app.request("/login", { method: "POST", headers: { cookie: `${session}; ${cookie}` }, body });
  };
  const { headers } = await logIn("");
  const cookie = headers.getSetCookie().find((header) => header.includes("_device=")) ?? "";
  assert.match(cookie, /^__Host-_device=[^;]*; Path=\/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax$/);
  for (let failure = 1; failure <= 5; failure++) await logIn("", "wrong");
  const [pair = ""] = cookie.split(";");
  assert.equal((await logIn(pair.replace("__Host-", ""))).status, 422);
  assert.equal((await logIn(pair)).status, 303);
});

test("the log shows the address of the client with each refused password and each login", async () => {
  using log = capturedLog("info");
  const client = visitor(app);
  await send(client, "/login", { email, password: "wrong" });
  await send(client, "/login", { email, password });
  const lines = log.entries.map(({ message, fields }) => [message, fields["client"]]);
  assert.deepEqual(lines, [
    ["A password was refused", "127.0.0.1"],
    ["A user logged in", "127.0.0.1"],
  ]);
  Log.configure({ reporters: [] });
});

test("logout ends the session of one device, or of all", async () => {
  const [phone, laptop] = [await loggedIn(), await loggedIn()];
  const { status, location, headers } = await send(phone, "/logout");
  assert.deepEqual([status, location], [303, "/"]);
  assert.equal(headers.get("clear-site-data"), '"cache", "storage"');
  assert.deepEqual([...phone.cookies.keys()], ["_device"], "the browser deletes the session cookie");
  assert.equal((await phone.get("/")).body, "nobody");
  assert.equal((await laptop.get("/")).body, email);
  await send(phone, "/logout");
  assert.equal((await laptop.get("/")).body, email);
  const tablet = await loggedIn();
  const everywhere = await send(laptop, "/logout-everywhere");
  assert.deepEqual([everywhere.status, everywhere.location, laptop.cookies.has("_session")], [303, "/", false]);
  assert.equal((await send(laptop, "/logout-everywhere")).status, 303, "it works without a user, too");
  for (const device of [phone, laptop, tablet]) assert.equal((await device.get("/")).body, "nobody");
});

test("a user lists the devices, with the current one marked, and logs out on all others", async () => {
  const [phone, laptop] = [await loggedIn(), visitor(app)];
  const { body: csrf } = await laptop.get("/csrf");
  const headers = { cookie: cookieOf(laptop), "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
  const response = await app.request("/login", {
    method: "POST",
    headers,
    body: new URLSearchParams({ csrf, email, password }),
  });
  const cookie = sessionCookieOf(response);
  const devices = async (): Promise<readonly string[]> => {
    const sessions = await app.request("/sessions", { headers: { cookie } });
    const list = (await sessions.json()) as readonly User.UserSession[];
    return list.map(({ device, isCurrent }) => `${device} ${isCurrent}`).sort();
  };
  assert.deepEqual(await devices(), ["Firefox on Linux true", "undefined false"]);
  assert.equal((await send(phone, "/logout-elsewhere")).status, 303);
  assert.equal(await replay(cookie), "nobody");
  assert.equal((await phone.get("/")).body, email);
  assert.deepEqual(await devices(), [], "the list is empty without a user");
  assert.equal((await send(visitor(app), "/logout-elsewhere")).status, 303, "it works without a user, too");
});

test("the user is read at most once per request, and only on access", async (t) => {
  const client = await loggedIn();
  const cookie = cookieOf(client);
  const reads = t.mock.method(database, "findOpt");
  const request = async (path: string): Promise<readonly unknown[]> => {
    reads.mock.resetCalls();
    const response = await app.request(path, { headers: { cookie } });
    return [await response.text(), reads.mock.callCount(), response.headers.get("cache-control")];
  };
  assert.deepEqual(await request("/twice"), [`${email} ${email}`, 1, "private, no-cache"]);
  assert.deepEqual(await request("/static"), ["static", 0, null]);
  reads.mock.resetCalls();
  await app.request("/");
  assert.equal(reads.mock.callCount(), 0, "no query without a session");
});

describe("the current user of a layout", () => {
  test("is there where a middleware, a guard, a token or a handler has loaded it, by one query", async (t) => {
    const client = await loggedIn();
    const cookie = cookieOf(client);
    const reads = t.mock.method(database, "findOpt");
    const rows = [
      ["/header", email],
      ["/header/twice", `${email} ${email}`],
      ["/header/guarded", email],
      ["/lazy/guarded", email],
      ["/lazy/awaited", email],
    ] as const;
    for (const [path, text] of rows) {
      reads.mock.resetCalls();
      const response = await app.request(path, { headers: { cookie } });
      assert.deepEqual([await response.text(), reads.mock.callCount()], [text, 1], path);
    }
    tokens.set("current", heidi.id);
    const response = await app.request("/api/current", { headers: { authorization: "Bearer current" } });
    assert.equal(await response.text(), email);
    tokens.delete("current");
  });

  test("is nobody without a login, and no query", async (t) => {
    const reads = t.mock.method(database, "findOpt");
    assert.equal(await (await app.request("/header")).text(), "nobody");
    assert.equal(reads.mock.callCount(), 0);
  });

  test("is nobody in an error page of a request that did not get as far", async () => {
    const errorPage = (request: Web.Request): Web.Response => showCurrent(request).withStatus(404);
    const { fetch } = Web.Http.service({ router: pages, errorPage });
    const headers = { cookie: cookieOf(await loggedIn()) };
    for (const path of ["/no-such-page", "/lazy"]) {
      const response = await fetch(new Request(`http://localhost${path}`, { headers }));
      assert.deepEqual([response.status, await response.text()], [404, "nobody"], path);
    }
  });

  test("is known at once after login and logout", async () => {
    assert.equal((await send(visitor(app), "/header/login")).body, `${email} undefined`);
  });

  test("is an error where nothing has loaded it, instead of nobody", async () => {
    assert.equal(await errorCodeOf("/lazy"), "E_USER_NOT_LOADED");
    assert.equal(await errorCodeOf("/without-middleware/current"), "E_USER_MIDDLEWARE");
  });
});

test("the error page of development names the user of the request", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "development" });
  using __ = capturedLog();
  const browser = await loggedIn();
  assert.match((await browser.get("/fails")).body, /<dt>user<\/dt>\s*<dd>heidi@example\.com<\/dd>/);
});

test("the list of routes shows the guards", async () => {
  const { stdout } = await runCommand(app, "routes");
  for (const names of [/\/strict .*user, requireUser/, /\/admin .*user, requireAdmin/, /\/api\/who .*userFromToken/]) {
    assert.match(stdout, names);
  }
  for (const options of [{}, { preload: true }]) {
    const [first, second] = [User.Web.middleware(users, options), User.Web.middleware(users, options)];
    assert.equal(first, second, "the same middleware, listed twice, runs once");
  }
});

test("the OpenAPI document describes the optional token of the routes", async () => {
  const { stdout } = await runCommand(app, "openapi");
  const { paths, components } = JSON.parse(stdout) as {
    readonly paths: Readonly<
      Record<string, { readonly get: { readonly security: unknown; readonly responses: object } }>
    >;
    readonly components: { readonly securitySchemes: unknown };
  };
  const description = "`Token`, a space and the token";
  assert.deepEqual(components.securitySchemes, {
    token: { type: "apiKey", in: "header", name: "authorization", description },
  });
  const who = paths["/shop/who"]?.get;
  assert.deepEqual([who?.security, Object.keys(who?.responses ?? {})], [[{}, { token: [] }], ["401"]]);
});

test("the OpenAPI document describes the refusals of the guards, which are problem documents", async () => {
  const printed = JSON.parse((await runCommand(app, "openapi")).stdout) as Document;
  tokens.set("guarded", heidi.id);
  const refusals = [
    ["/shop/who", "Token wrong", 401],
    ["/shop/strict", undefined, 401],
    ["/shop/confirmed", undefined, 401],
    ["/shop/confirmed", "Token guarded", 403],
    ["/shop/admin", "Token guarded", 403],
  ] as const;
  for (const [path, authorization, status] of refusals) {
    const headers = { accept: "application/json", ...(authorization === undefined ? {} : { authorization }) };
    const response = await app.request(path, { headers });
    assert.equal(response.status, status, path);
    await assertAnswer(printed, `GET ${path}`, response);
  }
  tokens.delete("guarded");
  const security = ["who", "strict", "confirmed", "admin"].map(
    (name) => printed.paths[`/shop/${name}`]?.["get"]?.security,
  );
  assert.deepEqual(security, [[{}, { token: [] }], ...Array.from({ length: 3 }, () => [{ token: [] }])]);
});

test("a request limit counts per user across devices, and per network without a user", async () => {
  const [laptop, phone, nobody] = [await loggedIn(), await loggedIn(), visitor(app)];
  const statuses = [];
  for (const client of [laptop, phone, laptop, nobody, nobody, nobody, phone])
    statuses.push((await client.get("/limited")).status);
  assert.deepEqual(statuses, [200, 200, 429, 200, 200, 429, 429]);
});

test("a route without the middleware fails with E_USER_MIDDLEWARE", async () => {
  assert.equal(await errorCodeOf("/without-middleware"), "E_USER_MIDDLEWARE");
});

describe("guarded pages", () => {
  const request = (path: string, method = "GET"): Promise<Response> =>
    app.request(path, { method, headers: { accept: "text/html" } });

  test("redirect to the login page, which returns", async () => {
    const client = visitor(app);
    const page = await client.get("/account?tab=%C3%A9&x=//evil.example");
    assert.equal(page.status, 303);
    assert.equal(page.headers.get("cache-control"), "no-store");
    const target = "/account?tab=%C3%A9&x=//evil.example";
    assert.equal(page.location, `/login?return_to=${encodeURIComponent(target)}`);
    const login = await send(client, page.location ?? "", { email, password });
    assert.equal(login.location, target);
    assert.equal((await client.get(login.location ?? "")).body, email);
  });

  test("redirect without a return path if a link cannot repeat the request", async () => {
    const client = visitor(app);
    assert.equal((await send(client, "/account")).location, "/login");
    const [longest, tooLong] = ["x".repeat(2048 - "/account?".length), "x".repeat(2049 - "/account?".length)];
    assert.match((await request(`/account?${longest}`)).headers.get("location") ?? "", /^\/login\?return_to=/);
    assert.equal((await request(`/account?${tooLong}`)).headers.get("location"), "/login");
    assert.equal((await request("/account", "HEAD")).headers.get("location"), "/login?return_to=%2Faccount");
  });

  test("respond to API clients with 401 and a problem document", async () => {
    for (const [path, accept] of [
      ["/account", "application/json"],
      ["/strict", "application/json"],
      ["/strict", "text/html"],
    ] as const) {
      const response = await app.request(path, { headers: { accept } });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), "Cookie");
      assert.equal(response.headers.get("location"), null);
      if (accept === "text/html") continue;
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      const { code } = (await response.json()) as { readonly code: string };
      assert.equal(code, "E_USER_LOGIN_REQUIRED");
    }
  });

  test("stay out of caches, unless the handler says otherwise", async () => {
    const client = await loggedIn();
    for (const path of ["/account", "/strict"])
      assert.equal((await client.get(path)).headers.get("cache-control"), "no-store", path);
    assert.equal((await client.get("/")).headers.get("cache-control"), "private, no-cache");
    assert.equal((await client.get("/cached")).headers.get("cache-control"), "private, max-age=60");
  });

  test("for admins refuse others with 403", async () => {
    const client = await loggedIn();
    assert.equal((await client.get("/admin")).status, 403);
    await users.setAdmin(heidi, true);
    assert.equal((await client.get("/admin")).body, email);
    assert.equal((await visitor(app).get("/admin")).location, "/login?return_to=%2Fadmin");
  });

  test("for confirmed users redirect others to the confirmation page", async () => {
    const client = await loggedIn();
    const redirect = await client.get("/confirmed");
    assert.deepEqual([redirect.status, redirect.location], [303, "/confirm"]);
    assert.match(redirect.headers.get("cache-control") ?? "", /no-store/);
    assert.equal((await send(client, "/confirmed")).location, "/confirm");
    const response = await app.request("/confirmed", {
      headers: { cookie: cookieOf(client), accept: "application/json" },
    });
    const { code } = (await response.json()) as { readonly code: string };
    assert.deepEqual([response.status, code], [403, "E_USER_CONFIRMATION_REQUIRED"]);
    assert.equal((await visitor(app).get("/confirmed")).location, "/login?return_to=%2Fconfirmed");
    await users.confirm(heidi);
    assert.equal((await client.get("/confirmed")).body, email);
    assert.throws(
      () => User.Web.requireConfirmed({ confirmPath: "//evil.example" }),
      (error) => isError(error, "E_USER_GUARD_PATH"),
    );
  });

  test("cannot be created with a login page on another site", () => {
    for (const loginPath of ["", "login", "//evil.example", "/\\evil.example", "https://evil.example/", "/a\nb"]) {
      assert.throws(
        () => User.Web.requireUser({ loginPath }),
        (error) => isError(error, "E_USER_GUARD_PATH"),
      );
      assert.throws(
        () => User.Web.requireAdmin({ loginPath }),
        (error) => isError(error, "E_USER_GUARD_PATH"),
      );
    }
  });
});

describe("the return path after login", () => {
  const returnPathFor = async (query: string): Promise<string> => {
    const client = visitor(app);
    const page = await send(client, `/login?${query}`, { email, password });
    assert.equal(page.status, 303);
    return page.location ?? "";
  };

  test("never leads to another site", async () => {
    const invalid = [
      "//evil.example",
      "/\\evil.example",
      "\\/evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "/\t/evil.example",
      "\t//evil.example",
      " //evil.example",
      "/\n/evil.example",
      "evil",
      "",
      "/\u0085/x",
      "/a\\b",
      `/${"a".repeat(3000)}`,
    ];
    for (const target of invalid)
      assert.equal(await returnPathFor(`return_to=${encodeURIComponent(target)}`), "/home", target);
    assert.equal(await returnPathFor("return_to=/a&return_to=/b"), "/home");
    assert.equal(await returnPathFor("return_to=/a%3Fb%3Dc"), "/a?b=c");
    assert.equal(await returnPathFor("return_to=/"), "/");
    assert.equal((await returnPathFor(`return_to=/${"a".repeat(2047)}`)).length, 2048);
    assert.equal(await returnPathFor(`return_to=/${"a".repeat(2048)}`), "/home");
  });

  test("stays on this origin for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `/${text}`),
        ),
        (text) => {
          const request = Web.Request.from(
            new Request(`http://localhost/login?return_to=${encodeURIComponent(text.toWellFormed())}`),
          );
          const path = User.Web.returnPath(request);
          assert.equal(new URL(path, "http://localhost").origin, "http://localhost");
          Web.Response.redirect(path);
        },
      ),
    );
  });

  test("keeps the prefix of the application", async () => {
    const request = Web.Request.from(new Request("http://localhost/shop/login"), { prefix: "/shop" });
    assert.equal(User.Web.returnPath(request, "/home"), "/shop/home");
  });
});

describe("bearer tokens", () => {
  const request = (authorization?: string, path = "/api/who"): Promise<Response> =>
    app.request(path, {
      headers: { accept: "application/json", ...(authorization === undefined ? {} : { authorization }) },
    });

  test("authenticate their user", async () => {
    const token = Random.token();
    tokens.set(token, heidi.id);
    for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer  "]) {
      const response = await request(`${scheme} ${token}`);
      assert.deepEqual([response.status, await response.text()], [200, email]);
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal((await request(`Bearer ${token}`, "/api/admin")).status, 403);
    await users.setAdmin(heidi, true);
    assert.equal((await request(`Bearer ${token}`, "/api/admin")).status, 200);
    await users.deactivate(heidi);
    assert.equal((await request(`Bearer ${token}`)).status, 401);
    await users.delete(heidi);
    assert.equal((await request(`Bearer ${token}`)).status, 401);
  });

  test("can have another scheme and be optional", async () => {
    tokens.set("good", heidi.id);
    const outcomeOf = async (path: string, authorization?: string): Promise<readonly unknown[]> => {
      const response = await request(authorization, path);
      const text = response.ok ? await response.text() : response.headers.get("www-authenticate");
      return [response.status, text];
    };
    assert.deepEqual(await outcomeOf("/shop/who", "Token good"), [200, email]);
    assert.deepEqual(await outcomeOf("/shop/mine", "token good"), [200, email]);
    assert.deepEqual(await outcomeOf("/shop/strict", "Token good"), [200, email]);
    assert.deepEqual(await outcomeOf("/shop/who"), [200, await (await app.request("/")).text()]);
    assert.deepEqual(await outcomeOf("/shop/who", "Token bad"), [401, 'Token error="invalid_token"']);
    for (const other of ["", "good", "Bearer good", "Tokengood", "Token"]) {
      assert.deepEqual(await outcomeOf("/shop/who", other), [401, "Token"], other);
    }
    for (const path of ["/shop/mine", "/shop/strict"]) assert.deepEqual(await outcomeOf(path), [401, "Token"]);
  });

  test("start no session", async () => {
    tokens.set("good", heidi.id);
    const init = { method: "POST", headers: { authorization: "Bearer good" } };
    assert.equal(await errorCodeOf("/api/login", init), "E_USER_MIDDLEWARE");
  });

  test("without a user are reported as invalid", async () => {
    tokens.set("of-nobody", Random.uuid());
    tokens.set("of-nothing", "no uuid");
    const longest = "x".repeat(4096 - "Bearer ".length);
    for (const token of ["unknown", "of-nobody", "of-nothing", longest, "unknown=="]) {
      const response = await request(`Bearer ${token}`);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    }
  });

  test("in an invalid format are refused without a lookup", async () => {
    tokens.set("good", heidi.id);
    const schemes = [
      "Basic",
      "Digest",
      "Token",
      "Bear",
      "Bearers",
      "Bearer:",
      "Bearer,",
      "Bearer=",
      "JWT",
      "MAC",
      "ApiKey",
      "X",
    ];
    const invalidTokens = [
      "good good",
      "good,good",
      "go od",
      "good;",
      '"good"',
      "'good'",
      "<good>",
      "good\tgood",
      "good=good",
      "=good",
      "gööd",
      "{}",
      "good!",
      "good?",
      "good#",
      "good@x",
      "good:",
      "good%20",
      "good\\",
      "good*",
      "good|",
      "good^",
      "good`",
      "good&a=b",
      "(good)",
      "[good]",
      "$good",
      "good,",
      ",good",
    ];
    const malformed: readonly (string | undefined)[] = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Bearer\tgood",
      "good",
      "Bearergood",
      "Bearer-good",
      "access_token=good",
      "Bearer token=good",
      'Bearer token="good"',
      "Bearer Bearer good",
      `Bearer ${"x".repeat(4096 - "Bearer ".length + 1)}`,
      "Bearer =",
      "Bearer ==",
      "Basic Z29vZDpnb29k",
      "Bearer good, Bearer good",
      "Bearer good, Basic good",
      "Basic good, Bearer good",
      "null",
      "undefined",
      ...schemes.map((scheme) => `${scheme} good`),
      ...invalidTokens.map((token) => `Bearer ${token}`),
    ];
    assert.ok(malformed.length >= 60, `${malformed.length}`);
    for (const authorization of malformed) {
      const response = await request(authorization);
      assert.equal(response.status, 401, String(authorization));
      assert.equal(response.headers.get("www-authenticate"), "Bearer", String(authorization));
      const { code } = (await response.json()) as { readonly code: string };
      assert.equal(code, "E_USER_TOKEN");
    }
    const inQuery = await app.request("/api/who?access_token=good");
    assert.equal(inQuery.status, 401);
    const inCookie = await app.request("/api/who", { headers: { cookie: "token=good" } });
    assert.equal(inCookie.status, 401);
  });
});
