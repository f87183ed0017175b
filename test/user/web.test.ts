// oxlint-disable oxc/no-async-endpoint-handlers -- the rule is about Express; here a rejected handler is an error page
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import * as fc from "fast-check";
import { App, Cleaner, Configuration, isError, Log, Migration, Random, Time, User, Web } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { run, type Visitor, visitor } from "limmat/testing";
import { cheap } from "./user-contract.ts";

const email = "heidi@example.com";
const password = "a fine long password";
const database = sqlite({ url: ":memory:" });
const users = User.service({ database });
const tokens = new Map<string, string>();

const name = async (request: Web.Request): Promise<string> => (await User.Web.user(request))?.email ?? "nobody";
const seen = async (request: Web.Request): Promise<Web.Response> => Web.Response.text(await name(request));
const field = async (request: Web.Request, of: string): Promise<string> =>
  new URLSearchParams([...(await request.form())].map(([key, value]) => [key, value])).get(of) ?? "";

const pages = Web.choose(
  [
    Web.get("/", seen),
    Web.get("/twice", async (request) => Web.Response.text(`${await name(request)} ${await name(request)}`)),
    Web.get("/still", () => Web.Response.text("still")),
    Web.get("/csrf", (request) => Web.Response.text(Web.Csrf.find(request))),
    Web.get("/kept", (request) => Web.Response.text(Web.Session.find("kept", request) ?? "")),
    Web.post("/keep", () => Web.Session.set([["kept", "yes"]], Web.Response.empty())),
    Web.post("/login", async (request) => {
      const result = await users.login(await field(request, "email"), await field(request, "password"));
      if (!result.ok) return Web.Response.text(result.error, { status: 422 });
      const response = Web.Response.redirect(User.Web.returnPath(request, "/home"));
      return User.Web.login(result.value, request, response);
    }),
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
      const inside = await User.Web.login(user, request, Web.Response.empty());
      const during = await name(request);
      const outside = await User.Web.logout(request, inside);
      return Web.Response.text(`${during} ${await name(request)} ${outside.status}`);
    }),
    Web.choose([Web.get("/account", seen), Web.post("/account", seen)], {
      middlewares: [User.Web.requireUser({ loginPath: "/login" })],
    }),
    Web.choose([Web.get("/strict", seen)], { middlewares: [User.Web.requireUser()] }),
    Web.choose([Web.get("/admin", seen)], { middlewares: [User.Web.requireAdmin({ loginPath: "/login" })] }),
    Web.choose([Web.get("/confirmed", seen), Web.post("/confirmed", seen)], {
      middlewares: [User.Web.requireConfirmed({ loginPath: "/login", confirmPath: "/confirm" })],
    }),
    Web.choose([Web.get("/limited", seen)], {
      middlewares: [Web.Middleware.requestLimit({ limit: 2, period: Time.hours(1), key: User.Web.byUser })],
    }),
  ],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(users)] },
);
const unaware = Web.choose([Web.get("/unaware", seen)], { middlewares: Web.Middleware.site() });
const api = Web.choose(
  [
    Web.get("/who", seen),
    Web.choose([Web.get("/admin", seen)], { middlewares: [User.Web.requireAdmin()] }),
    Web.post("/login", async (request) =>
      User.Web.login(await users.findByEmail(email), request, Web.Response.empty()),
    ),
  ],
  {
    scope: "/api",
    middlewares: [...Web.Middleware.api(), User.Web.userFromToken(users, (token) => tokens.get(token))],
  },
);

// Another word before the token, and nobody must send one.
const shop = Web.choose(
  [
    Web.get("/who", seen, { describe: {} }),
    Web.get("/mine", async (request) => Web.Response.text((await User.Web.userOrThrow(request)).email)),
    Web.choose([Web.get("/strict", seen)], { middlewares: [User.Web.requireUser()] }),
  ],
  {
    scope: "/shop",
    middlewares: [User.Web.userFromToken(users, (token) => tokens.get(token), { scheme: "Token", optional: true })],
  },
);

const document = Web.OpenApi.router({ title: "Shop", version: "1" });

const migration = Migration.service({ database, onPending: "run" });
const http = Web.Http.service({
  router: Web.choose([pages, unaware, api, shop, document]),
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
  Configuration.reset();
  Log.reset();
});
beforeEach(async () => {
  await Cleaner.cleanAll();
  heidi = await users.createUser({ email, password });
});

/** Somebody with a browser: forms carry the token of the session. */
async function loggedIn(): Promise<Visitor> {
  const someone = visitor(app);
  await send(someone, "/login", { email, password });
  assert.equal((await someone.get("/")).body, email);
  return someone;
}

async function send(
  someone: Visitor,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): ReturnType<Visitor["post"]> {
  const { body: csrf } = await someone.get("/csrf");
  return someone.post(path, { csrf, ...fields });
}

const cookieOf = (someone: Visitor): string => [...someone.cookies].map(([key, value]) => `${key}=${value}`).join("; ");

/** Who the server takes somebody with this cookie for. */
async function replay(cookie: string): Promise<string> {
  return (await app.request("/", { headers: { cookie } })).text();
}

/** The code of the error that a request ends with. */
async function faultOf(path: string, init?: RequestInit): Promise<string | undefined> {
  const faults: unknown[] = [];
  Log.configure({ reporters: [{ report: ({ error }) => void faults.push(error) }] });
  assert.equal((await app.request(path, init)).status, 500);
  Log.configure({ reporters: [] });
  const [fault] = faults.filter((each) => each !== undefined);
  return isError(fault) ? fault.code : undefined;
}

describe("log-in", () => {
  test("makes somebody of nobody, by a session of its own", async () => {
    const someone = visitor(app);
    assert.equal((await someone.get("/")).body, "nobody");
    assert.equal(someone.cookies.size, 0);
    const wrong = await send(someone, "/login", { email, password: "wrong" });
    assert.equal(wrong.status, 422);
    assert.equal((await someone.get("/")).body, "nobody");
    const right = await send(someone, "/login", { email, password });
    assert.deepEqual([right.status, right.location], [303, "/home"]);
    assert.equal(right.headers.get("cache-control"), "no-store");
    assert.equal((await someone.get("/")).body, email);
  });

  test("leaves nothing of the session before: what was planted is of no use", async () => {
    const attacker = visitor(app);
    const { body: csrf } = await attacker.get("/csrf");
    await attacker.post("/keep", { csrf });
    const planted = cookieOf(attacker);
    // The victim's browser sends the planted cookie, logs in, and gets another.
    const response = await app.request("/login", {
      method: "POST",
      headers: { cookie: planted },
      body: new URLSearchParams({ csrf, email, password }),
    });
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
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

  test("in a browser that is logged in ends the session before", async () => {
    const someone = await loggedIn();
    const first = cookieOf(someone);
    await send(someone, "/login", { email, password });
    assert.equal((await someone.get("/")).body, email);
    assert.notEqual(cookieOf(someone), first);
    assert.equal(await replay(first), "nobody");
  });

  test("survives what the application keeps in the session", async () => {
    const someone = await loggedIn();
    await send(someone, "/keep");
    assert.equal((await someone.get("/kept")).body, "yes");
    assert.equal((await someone.get("/")).body, email);
  });

  test("and log-out are seen by the request that does them", async () => {
    const someone = visitor(app);
    assert.equal((await send(someone, "/in-and-out")).body, `${email} nobody 204`);
  });
});

describe("a copy of the cookie is nobody's at once", () => {
  const endings: Readonly<Record<string, (someone: Visitor) => Promise<unknown>>> = {
    "log-out": (someone) => send(someone, "/logout"),
    "log-out everywhere": (someone) => send(someone, "/logout-everywhere"),
    "a change of the password": (someone) => send(someone, "/change"),
    "a new password": () => users.setPassword(heidi, { password: "some other one", confirmation: "some other one" }),
    deactivation: () => users.deactivate(heidi),
    "deactivation and activation": async () => users.activate(await users.deactivate(heidi)),
    deletion: () => users.delete(heidi),
  };
  for (const [ending, end] of Object.entries(endings)) {
    test(`after ${ending}`, async () => {
      const someone = await loggedIn();
      const copy = cookieOf(someone);
      assert.equal(await replay(copy), email);
      await end(someone);
      assert.equal(await replay(copy), "nobody");
      assert.equal(await replay(copy), "nobody");
    });
  }

  test("while the browser that changed the password is still logged in, by another session", async () => {
    const someone = await loggedIn();
    await send(someone, "/change");
    assert.equal((await someone.get("/")).body, email);
  });
});

test("log-out ends one device, or all of them", async () => {
  const [phone, laptop] = [await loggedIn(), await loggedIn()];
  const { status, location } = await send(phone, "/logout");
  assert.deepEqual([status, location], [303, "/"]);
  assert.equal(phone.cookies.size, 0, "the browser forgets the cookie");
  assert.equal((await phone.get("/")).body, "nobody");
  assert.equal((await laptop.get("/")).body, email);
  await send(phone, "/logout");
  assert.equal((await laptop.get("/")).body, email);
  const tablet = await loggedIn();
  const everywhere = await send(laptop, "/logout-everywhere");
  assert.deepEqual([everywhere.status, everywhere.location, laptop.cookies.size], [303, "/", 0]);
  assert.equal((await send(laptop, "/logout-everywhere")).status, 303, "nobody may ask for it, too");
  for (const device of [phone, laptop, tablet]) assert.equal((await device.get("/")).body, "nobody");
});

test("a user sees the devices, this one marked, and logs out on all others", async () => {
  const [phone, laptop] = [await loggedIn(), visitor(app)];
  const { body: csrf } = await laptop.get("/csrf");
  const headers = { cookie: cookieOf(laptop), "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
  const answer = await app.request("/login", {
    method: "POST",
    headers,
    body: new URLSearchParams({ csrf, email, password }),
  });
  const cookie = (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const devices = async (): Promise<readonly string[]> => {
    const response = await app.request("/sessions", { headers: { cookie } });
    const list = (await response.json()) as readonly User.UserSession[];
    return list.map(({ device, isCurrent }) => `${device} ${isCurrent}`).sort();
  };
  assert.deepEqual(await devices(), ["Firefox on Linux true", "undefined false"]);
  assert.equal((await send(phone, "/logout-elsewhere")).status, 303);
  assert.equal(await replay(cookie), "nobody");
  assert.equal((await phone.get("/")).body, email);
  assert.deepEqual(await devices(), [], "nobody has none");
  assert.equal((await send(visitor(app), "/logout-elsewhere")).status, 303, "nobody may ask for it, too");
});

test("the user is read once per request, and not at all by pages that do not ask", async (t) => {
  const someone = await loggedIn();
  const cookie = cookieOf(someone);
  const reads = t.mock.method(database, "findOpt");
  const ask = async (path: string): Promise<readonly unknown[]> => {
    reads.mock.resetCalls();
    const response = await app.request(path, { headers: { cookie } });
    return [await response.text(), reads.mock.callCount(), response.headers.get("cache-control")];
  };
  assert.deepEqual(await ask("/twice"), [`${email} ${email}`, 1, "private, no-cache"]);
  assert.deepEqual(await ask("/still"), ["still", 0, null]);
  reads.mock.resetCalls();
  await app.request("/");
  assert.equal(reads.mock.callCount(), 0, "nobody is not looked for");
});

test("the list of routes names what guards them", async () => {
  const { stdout } = await run(app, "routes");
  for (const names of [/\/strict .*user, requireUser/, /\/admin .*user, requireAdmin/, /\/api\/who .*userFromToken/]) {
    assert.match(stdout, names);
  }
  assert.equal(User.Web.middleware(users), User.Web.middleware(users), "listed twice, it runs once");
});

test("the OpenAPI document says which token the routes take, and that nobody must send one", async () => {
  const { stdout } = await run(app, "openapi");
  const { paths, components } = JSON.parse(stdout) as {
    readonly paths: Readonly<
      Record<string, { readonly get: { readonly security: unknown; readonly responses: object } }>
    >;
    readonly components: { readonly securitySchemes: unknown };
  };
  const description = "`Token`, a space, and the token";
  assert.deepEqual(components.securitySchemes, {
    token: { type: "apiKey", in: "header", name: "authorization", description },
  });
  const who = paths["/shop/who"]?.get;
  assert.deepEqual([who?.security, Object.keys(who?.responses ?? {})], [[{}, { token: [] }], ["401"]]);
});

test("a limit counts a user wherever the requests come from, and others by their network", async () => {
  const [laptop, phone, nobody] = [await loggedIn(), await loggedIn(), visitor(app)];
  const statuses = [];
  for (const someone of [laptop, phone, laptop, nobody, nobody, nobody, phone])
    statuses.push((await someone.get("/limited")).status);
  assert.deepEqual(statuses, [200, 200, 429, 200, 200, 429, 429]);
});

test("a route without the middleware says what is missing", async () => {
  assert.equal(await faultOf("/unaware"), "E_USER_MIDDLEWARE");
});

describe("pages for those who are logged in", () => {
  const ask = (path: string, method = "GET"): Promise<Response> =>
    app.request(path, { method, headers: { accept: "text/html" } });

  test("lead everybody else to the log-in page, and back", async () => {
    const someone = visitor(app);
    const page = await someone.get("/account?tab=%C3%A9&x=//evil.example");
    assert.equal(page.status, 303);
    assert.equal(page.headers.get("cache-control"), "no-store");
    const back = "/account?tab=%C3%A9&x=//evil.example";
    assert.equal(page.location, `/login?return_to=${encodeURIComponent(back)}`);
    const logged = await send(someone, page.location ?? "", { email, password });
    assert.equal(logged.location, back);
    assert.equal((await someone.get(logged.location ?? "")).body, email);
  });

  test("lead without a way back where a link cannot repeat what was asked", async () => {
    const someone = visitor(app);
    assert.equal((await send(someone, "/account")).location, "/login");
    const [longest, tooLong] = ["x".repeat(2048 - "/account?".length), "x".repeat(2049 - "/account?".length)];
    assert.match((await ask(`/account?${longest}`)).headers.get("location") ?? "", /^\/login\?return_to=/);
    assert.equal((await ask(`/account?${tooLong}`)).headers.get("location"), "/login");
    assert.equal((await ask("/account", "HEAD")).headers.get("location"), "/login?return_to=%2Faccount");
  });

  test("answer programs with 401 and a problem document", async () => {
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

  test("of admins refuse others with 403", async () => {
    const someone = await loggedIn();
    assert.equal((await someone.get("/admin")).status, 403);
    await users.setAdmin(heidi, true);
    assert.equal((await someone.get("/admin")).body, email);
    assert.equal((await visitor(app).get("/admin")).location, "/login?return_to=%2Fadmin");
  });

  test("of the confirmed lead others to where they can confirm their address", async () => {
    const someone = await loggedIn();
    const away = await someone.get("/confirmed");
    assert.deepEqual([away.status, away.location], [303, "/confirm"]);
    assert.match(away.headers.get("cache-control") ?? "", /no-store/);
    assert.equal((await send(someone, "/confirmed")).location, "/confirm");
    const program = await app.request("/confirmed", {
      headers: { cookie: cookieOf(someone), accept: "application/json" },
    });
    const { code } = (await program.json()) as { readonly code: string };
    assert.deepEqual([program.status, code], [403, "E_USER_CONFIRMATION_REQUIRED"]);
    assert.equal((await visitor(app).get("/confirmed")).location, "/login?return_to=%2Fconfirmed");
    await users.confirm(heidi);
    assert.equal((await someone.get("/confirmed")).body, email);
    assert.throws(
      () => User.Web.requireConfirmed({ confirmPath: "//evil.example" }),
      (error) => isError(error, "E_USER_GUARD_PATH"),
    );
  });

  test("are not made with a log-in page elsewhere", () => {
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

describe("the way back after log-in", () => {
  const backTo = async (path: string): Promise<string> => {
    const someone = visitor(app);
    const page = await send(someone, `/login?${path}`, { email, password });
    assert.equal(page.status, 303);
    return page.location ?? "";
  };

  test("never leads to another site", async () => {
    const evil = [
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
    for (const target of evil) assert.equal(await backTo(`return_to=${encodeURIComponent(target)}`), "/home", target);
    assert.equal(await backTo("return_to=/a&return_to=/b"), "/home");
    assert.equal(await backTo("return_to=/a%3Fb%3Dc"), "/a?b=c");
    assert.equal(await backTo("return_to=/"), "/");
    assert.equal((await backTo(`return_to=/${"a".repeat(2047)}`)).length, 2048);
    assert.equal(await backTo(`return_to=/${"a".repeat(2048)}`), "/home");
  });

  test("is on this origin, whatever the text", () => {
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
  const ask = (authorization?: string, path = "/api/who"): Promise<Response> =>
    app.request(path, {
      headers: { accept: "application/json", ...(authorization === undefined ? {} : { authorization }) },
    });

  test("let in the user that they stand for", async () => {
    const token = Random.token();
    tokens.set(token, heidi.id);
    for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer  "]) {
      const response = await ask(`${scheme} ${token}`);
      assert.deepEqual([response.status, await response.text()], [200, email]);
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal((await ask(`Bearer ${token}`, "/api/admin")).status, 403);
    await users.setAdmin(heidi, true);
    assert.equal((await ask(`Bearer ${token}`, "/api/admin")).status, 200);
    await users.deactivate(heidi);
    assert.equal((await ask(`Bearer ${token}`)).status, 401);
    await users.delete(heidi);
    assert.equal((await ask(`Bearer ${token}`)).status, 401);
  });

  test("may come behind another word, and need not come where they are optional", async () => {
    tokens.set("good", heidi.id);
    const answerOf = async (path: string, authorization?: string): Promise<readonly unknown[]> => {
      const response = await ask(authorization, path);
      const text = response.ok ? await response.text() : response.headers.get("www-authenticate");
      return [response.status, text];
    };
    assert.deepEqual(await answerOf("/shop/who", "Token good"), [200, email]);
    assert.deepEqual(await answerOf("/shop/mine", "token good"), [200, email]);
    assert.deepEqual(await answerOf("/shop/strict", "Token good"), [200, email]);
    assert.deepEqual(await answerOf("/shop/who"), [200, await (await app.request("/")).text()]);
    assert.deepEqual(await answerOf("/shop/who", "Token bad"), [401, 'Token error="invalid_token"']);
    for (const other of ["", "good", "Bearer good", "Tokengood", "Token"]) {
      assert.deepEqual(await answerOf("/shop/who", other), [401, "Token"], other);
    }
    for (const path of ["/shop/mine", "/shop/strict"]) assert.deepEqual(await answerOf(path), [401, "Token"]);
  });

  test("begin no session", async () => {
    tokens.set("good", heidi.id);
    const init = { method: "POST", headers: { authorization: "Bearer good" } };
    assert.equal(await faultOf("/api/login", init), "E_USER_MIDDLEWARE");
  });

  test("that stand for nobody are named as such", async () => {
    tokens.set("of-nobody", Random.uuid());
    tokens.set("of-nothing", "no uuid");
    const longest = "x".repeat(4096 - "Bearer ".length);
    for (const token of ["unknown", "of-nobody", "of-nothing", longest, "unknown=="]) {
      const response = await ask(`Bearer ${token}`);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    }
  });

  test("that are none are refused without being looked up", async () => {
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
    const odd = [
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
      ...odd.map((token) => `Bearer ${token}`),
    ];
    assert.ok(malformed.length >= 60, `${malformed.length}`);
    for (const authorization of malformed) {
      const response = await ask(authorization);
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
