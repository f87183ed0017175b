import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { requireCsrfProtection } from "../csrf/token.ts";
import { find } from "../csrf/csrf.ts";
import { maskToken, newSecret } from "../csrf/token.ts";
import { Browser, isolate, serve } from "../application/fetch.test.ts";
import type { Handler } from "../../http/router/handler.ts";
import { Response } from "../../http/message/response.ts";
import { fakeClock } from "../../testing/index.ts";
import * as Session from "../session/session.ts";
import { csrf, type CsrfOptions } from "./csrf.ts";
import { etag } from "./etag.ts";
import { methodOverride } from "./method-override.ts";
import { session } from "./session.ts";

const log = isolate([["CHECK_CSRF", "true"]]);

/** Creates an application that counts accepted requests. GET /form returns a token, /plain none; /login and /logout change the session. */
class Bank extends Browser {
  transfers = 0;

  constructor(options?: CsrfOptions) {
    const handler: Handler = (request) => {
      if (request.method !== "GET") this.transfers += 1;
      if (request.path === "/form") return Response.text(find(request));
      if (request.path === "/login") return Session.set([["user_id", "1"]], Session.renew([], Response.text("in")));
      if (request.path === "/logout") return Session.set([], Response.text("out"));
      return Response.text(Session.find("user_id", request) ?? "nobody");
    };
    super(serve([methodOverride(), session(), csrf(options)], handler));
  }

  async token(): Promise<string> {
    return await (await this.get("/form")).text();
  }

  /** Returns true if a request reached the handler; otherwise checks that it got 403. */
  async passes(init: RequestInit, path = "/transfer"): Promise<boolean> {
    const before = this.transfers;
    const { status } = await this.send(path, { method: "POST", ...init });
    assert.equal(status, this.transfers > before ? 200 : 403);
    return this.transfers > before;
  }
}

const form = (fields: Record<string, string> | readonly (readonly [string, string])[]): RequestInit => ({
  body: new URLSearchParams(
    Array.isArray(fields) ? fields.map((pair) => [...pair] as string[]) : (fields as Record<string, string>),
  ),
});
const headers = (values: Record<string, string>): RequestInit => ({ headers: values });
const methods = ["POST", "PUT", "PATCH", "DELETE"] as const;

describe("a request with a token", () => {
  for (const method of methods) {
    test(`${method} passes with the token in the header`, async () => {
      const bank = new Bank();
      assert.ok(await bank.passes({ method, ...headers({ "x-csrf-token": await bank.token() }) }));
    });

    test(`${method} passes with the token in the form`, async () => {
      const bank = new Bank();
      assert.ok(await bank.passes({ method, ...form({ csrf: await bank.token(), amount: "1" }) }));
    });
  }

  test("passes through method override", async () => {
    const bank = new Bank();
    for (const method of ["put", "PATCH", "Delete"]) {
      assert.ok(await bank.passes(form({ csrf: await bank.token(), _method: method })));
      assert.ok(!(await bank.passes(form({ _method: method }))));
    }
  });

  test("passes repeatedly, from every page of the session", async () => {
    const bank = new Bank();
    const tokens = [];
    for (let page = 0; page < 20; page++) tokens.push(await bank.token());
    assert.equal(new Set(tokens).size, 20);
    for (const token of [...tokens, ...tokens.slice(0, 5)]) assert.ok(await bank.passes(form({ csrf: token })));
  });

  test("passes after logout, and a token from before login does not", async () => {
    const bank = new Bank();
    const before = await bank.token();
    assert.ok(await bank.passes(form({ csrf: before }), "/login"));
    assert.ok(!(await bank.passes(form({ csrf: before }))));
    const after = await bank.token();
    assert.equal(await (await bank.get("/who")).text(), "1");
    assert.ok(await bank.passes(form({ csrf: after }), "/logout"));
    assert.equal(await (await bank.get("/who")).text(), "nobody");
    assert.ok(await bank.passes(form({ csrf: after })));
  });
});

/** Builds a multipart form with its fields in this order: a text is a field, `undefined` a file. */
function upload(...fields: readonly (readonly [string, string | undefined])[]): RequestInit {
  const body = new FormData();
  for (const [name, value] of fields) {
    if (value === undefined) body.append(name, new File(["x".repeat(2_000_000)], "a.txt"));
    else body.append(name, value);
  }
  return { body };
}

describe("a form with files", () => {
  test("passes with the token before its first file, for every method", async () => {
    const bank = new Bank();
    for (const method of methods) {
      const token = await bank.token();
      assert.ok(await bank.passes({ method, ...upload(["amount", "1"], ["csrf", token], ["photo", undefined]) }));
      assert.ok(await bank.passes({ method, ...upload(["csrf", token]) }));
      assert.ok(await bank.passes({ method, ...upload(["photo", undefined]), ...headers({ "x-csrf-token": token }) }));
    }
    const put = upload(["_method", "put"], ["csrf", await bank.token()], ["photo", undefined]);
    assert.ok(await bank.passes(put));
  });

  test("is refused with a missing, wrong or repeated token", async () => {
    const bank = new Bank();
    const token = await bank.token();
    for (const init of [
      upload(["photo", undefined]),
      upload(["photo", undefined], ["csrf", token]),
      upload(["csrf", "wrong"], ["photo", undefined]),
      upload(["csrf", maskToken(newSecret())]),
      upload(["csrf", token], ["csrf", token]),
      upload(["CSRF", token]),
      { body: "csrf", ...headers({ "content-type": "multipart/form-data; boundary=x" }) },
      { body: `csrf=${token}`, ...headers({ "content-type": "multipart/form-data" }) },
    ]) {
      for (const method of methods) assert.ok(!(await bank.passes({ method, ...init })));
    }
    log.entries.length = 0;
    await bank.passes(upload(["photo", undefined], ["csrf", token]));
    assert.match(JSON.stringify(log.entries), /it had no token before its first file/);
  });

  test("is not read beyond its first file, and not at all if it comes from another site", async () => {
    const bank = new Bank();
    await bank.token();
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const start = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
        controller.enqueue(chunks++ === 0 ? Buffer.from(start) : Buffer.alloc(65_536));
      },
    });
    const type = { "content-type": "multipart/form-data; boundary=x" };
    assert.ok(!(await bank.passes({ body, duplex: "half", ...headers(type) })));
    assert.ok(chunks < 10, `${chunks} chunks were read`);
    const untouched = new ReadableStream({ pull: () => assert.fail("the body was read") }, { highWaterMark: 0 });
    const foreign = { ...type, "sec-fetch-site": "cross-site" };
    const init = { method: "PUT", body: untouched, duplex: "half", ...headers(foreign) } as RequestInit;
    assert.ok(!(await bank.passes(init)));
  });
});

describe("a request without a valid token", () => {
  const mutations: Readonly<Record<string, (token: string) => readonly (readonly [string, string])[]>> = {
    "no token": () => [],
    "an empty token": () => [["csrf", ""]],
    "a wrong token": () => [["csrf", "wrong"]],
    "the token of another secret": () => [["csrf", maskToken(newSecret())]],
    "a secret instead of a token": () => [["csrf", newSecret()]],
    "a token that is not base64": (token) => [["csrf", `${token.slice(0, -2)}!!`]],
    "a token in base64 with padding": (token) => [["csrf", `${token}==`]],
    "a token cut by one character": (token) => [["csrf", token.slice(0, -1)]],
    "a token of one character more": (token) => [["csrf", `${token}A`]],
    "a token with a blank": (token) => [["csrf", ` ${token}`]],
    "a token of 1 MB": () => [["csrf", "A".repeat(1_000_000)]],
    "the token given twice": (token) => [
      ["csrf", token],
      ["csrf", token],
    ],
    "the token and an empty one": (token) => [
      ["csrf", token],
      ["csrf", ""],
    ],
    "the token under another name": (token) => [["_csrf", token]],
    "the token under a name in other case": (token) => [["CSRF", token]],
    "the token as an array": (token) => [["csrf[]", token]],
    "the halves of the token swapped": (token) => [["csrf", token.slice(43) + token.slice(0, 43)]],
    "a token with NUL": (token) => [["csrf", `${token}\0`]],
    "a token of other characters": () => [["csrf", "é".repeat(86)]],
  };
  for (const [name, mutate] of Object.entries(mutations)) {
    for (const method of methods) {
      test(`${method} with ${name} in the form is refused`, async () => {
        const bank = new Bank();
        assert.ok(!(await bank.passes({ method, ...form(mutate(await bank.token())) })));
        assert.equal(bank.transfers, 0);
      });
    }
  }

  const headerMutations: Readonly<Record<string, (token: string) => string>> = {
    "an empty token": () => "",
    "a wrong token": () => "wrong",
    "the token of another secret": () => maskToken(newSecret()),
    "the token twice": (token) => `${token}, ${token}`,
    "a cut token": (token) => token.slice(1),
    "a token of 10 kB": () => "A".repeat(10_000),
    "quotes around the token": (token) => `"${token}"`,
  };
  for (const [name, mutate] of Object.entries(headerMutations)) {
    test(`with ${name} in the header is refused, even if the form has a valid one`, async () => {
      const bank = new Bank();
      const token = await bank.token();
      assert.ok(!(await bank.passes(headers({ "x-csrf-token": mutate(token) }))));
      assert.ok(!(await bank.passes({ ...headers({ "x-csrf-token": mutate(token) }), ...form({ csrf: token }) })));
    });
  }

  test("with the token in the query, a cookie or another header is refused", async () => {
    const bank = new Bank();
    const token = await bank.token();
    assert.ok(!(await bank.passes(form({ amount: "1" }), `/transfer?csrf=${token}`)));
    assert.ok(!(await bank.passes({}, `/transfer?csrf=${token}`)));
    const cookie = `_session=${bank.cookies.get("_session")}; csrf=${token}; X-CSRF-Token=${token}`;
    assert.ok(!(await bank.passes(headers({ cookie }))));
    for (const name of ["csrf", "x-csrf", "x-xsrf-token", "csrf-token", "authorization"]) {
      assert.ok(!(await bank.passes(headers({ [name]: token }))));
    }
  });

  test("with the token of another session is refused", async () => {
    const [mine, theirs] = [new Bank(), new Bank()];
    await mine.token();
    assert.ok(!(await mine.passes(form({ csrf: await theirs.token() }))));
  });

  test("without a session, or with one that has no secret, is refused", async () => {
    const bank = new Bank();
    const token = await bank.token();
    bank.cookies.clear();
    assert.ok(!(await bank.passes(form({ csrf: token }))));
    const fresh = new Bank();
    assert.ok(!(await fresh.passes(form({ csrf: token }))));
  });

  test("without a session is refused before its body is read", async () => {
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const body = new ReadableStream({ pull: () => assert.fail("the body was read") }, { highWaterMark: 0 });
      // The method override runs before this middleware, and reads POST forms.
      const init = { method: "PUT", body, duplex: "half", ...headers({ "content-type": type }) } as RequestInit;
      assert.ok(!(await new Bank().passes(init)));
    }
  });

  test("with the session cookie sent twice is refused", async () => {
    const bank = new Bank();
    const token = await bank.token();
    const own = `_session=${bank.cookies.get("_session")}`;
    assert.ok(!(await bank.passes({ ...headers({ cookie: `${own}; ${own}` }), ...form({ csrf: token }) })));
  });

  test("is refused for other media types than forms, unless the header has the token", async () => {
    const bank = new Bank();
    const token = await bank.token();
    const types = ["text/plain", "application/json", "multipart/form-data; boundary=x", "Multipart/Form-Data", "", "a"];
    for (const type of [
      ...types,
      "application/x-www-form-urlencoded2",
      "text/plain; application/x-www-form-urlencoded",
    ]) {
      const init = { headers: { "content-type": type }, body: `csrf=${token}` };
      assert.ok(!(await bank.passes(init)), type);
      assert.ok(await bank.passes({ ...init, headers: { ...init.headers, "x-csrf-token": token } }), type);
    }
    assert.ok(!(await bank.passes({ body: new Blob([`csrf=${token}`]) })));
  });

  test("is refused for a form with any letter case of its type, and passes with the token", async () => {
    const bank = new Bank();
    const type = { "content-type": "Application/X-WWW-Form-UrlEncoded; Charset=UTF-8" };
    assert.ok(!(await bank.passes({ headers: type, body: "amount=1" })));
    assert.ok(await bank.passes({ headers: type, body: `csrf=${await bank.token()}` }));
  });
});

describe("a request from another site", () => {
  const refused = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "anything" },
    { origin: "https://attacker.example" },
    { origin: "null" },
    { origin: "http://localhost:81" },
    { origin: "http://localhost.attacker.example" },
    { origin: "http://localhost", "sec-fetch-site": "cross-site" },
  ];
  for (const given of refused) {
    for (const method of methods) {
      test(`${method} with ${JSON.stringify(given)} is refused, even with a valid token`, async () => {
        const bank = new Bank();
        const token = await bank.token();
        assert.ok(!(await bank.passes({ method, ...form({ csrf: token }), headers: given })));
        assert.ok(!(await bank.passes({ method, headers: { ...given, "x-csrf-token": token } })));
      });
    }
  }

  test("is refused before its body is read", async () => {
    const bank = new Bank();
    await bank.token();
    const body = new ReadableStream({ pull: () => assert.fail("the body was read") }, { highWaterMark: 0 });
    const type = "application/x-www-form-urlencoded";
    const given = { "sec-fetch-site": "cross-site", "content-type": type };
    // The method override runs before this middleware, and reads POST forms.
    assert.ok(!(await bank.passes({ method: "PUT", body, duplex: "half", headers: given })));
  });

  test("passes with a token if the site is trusted, and not without one", async () => {
    const bank = new Bank({ trustedOrigins: ["https://pay.example.com"] });
    const token = await bank.token();
    const given = { origin: "https://pay.example.com", "sec-fetch-site": "cross-site" };
    assert.ok(await bank.passes({ ...form({ csrf: token }), headers: given }));
    assert.ok(!(await bank.passes({ headers: given })));
    assert.ok(
      !(await bank.passes({ ...form({ csrf: token }), headers: { ...given, origin: "https://x.example.com" } })),
    );
  });

  test("passes with a token from a page of this site", async () => {
    const bank = new Bank();
    const token = await bank.token();
    const ours: readonly Record<string, string>[] = [
      {},
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
      { origin: "http://localhost" },
      { origin: "http://localhost", "sec-fetch-site": "same-origin" },
    ];
    for (const given of ours) {
      assert.ok(await bank.passes({ ...form({ csrf: token }), headers: given }));
      assert.ok(!(await bank.passes({ headers: given })));
    }
  });
});

describe("a request of a site without tokens", () => {
  const [ours, others] = [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "same-site" }];

  test("passes if the browser says that this site sent it, in any format", async () => {
    const bank = new Bank({ tokens: false });
    for (const given of [ours, { "sec-fetch-site": "none" }, { origin: "http://localhost" }]) {
      assert.ok(await bank.passes({ ...form({ amount: "1" }), headers: given }));
      assert.ok(await bank.passes({ headers: { ...given, "content-type": "application/json" }, body: "{}" }));
      for (const method of methods) assert.ok(await bank.passes({ method, headers: given }));
    }
  });

  test("is refused without both headers, and from another site, with a token as well", async () => {
    const bank = new Bank({ tokens: false });
    const token = await bank.token();
    for (const given of [{}, others, { origin: "null" }, { origin: "http://other.example", "x-csrf-token": token }]) {
      assert.ok(!(await bank.passes({ ...form({ csrf: token }), headers: given })));
    }
    assert.ok(!(await bank.passes(form({ _method: "delete" }))));
    assert.ok(await bank.passes({ ...form({ _method: "delete" }), headers: ours }));
  });
});

describe("a request with a safe method", () => {
  for (const method of ["GET", "HEAD", "OPTIONS", "QUERY"]) {
    test(`${method} passes from anywhere without a token`, async () => {
      const bank = new Bank();
      const response = await bank.send("/plain", {
        method,
        headers: { "sec-fetch-site": "cross-site", origin: "null" },
      });
      assert.equal(response.status, 200);
    });
  }

  test("gets a session only if its page uses a token", async () => {
    const bank = new Bank();
    assert.equal((await bank.get("/plain")).headers.get("set-cookie"), null);
    const page = await bank.get("/form");
    assert.match(page.headers.get("set-cookie") ?? "", /^_session=/);
    assert.equal(page.headers.get("cache-control"), "no-store");
    assert.equal((await bank.get("/form")).headers.get("set-cookie"), null);
    assert.equal((await bank.get("/form")).headers.get("cache-control"), "private, no-cache");
  });
});

describe("the refusal", () => {
  test("is a page with advice, or a problem document, and changes no session", async () => {
    const bank = new Bank();
    const page = await bank.post("/transfer", {}, { accept: "text/html" });
    assert.equal(page.status, 403);
    assert.match(await page.text(), /reload the page/);
    assert.equal(page.headers.get("set-cookie"), null);
    const problem = await bank.post("/transfer", {}, { accept: "application/json" });
    assert.equal(problem.headers.get("content-type"), "application/problem+json");
    assert.equal((JSON.parse(await problem.text()) as { code: string }).code, "E_CSRF");
  });

  test("may be answered by a handler of the application", async () => {
    const bank = new Bank({ onRefused: () => Response.text("own", { status: 403 }) });
    assert.equal(await (await bank.post("/transfer", {})).text(), "own");
    assert.equal(bank.transfers, 0);
  });

  test("of a malformed form is the error of the body", async () => {
    const bank = new Bank();
    await bank.token();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await bank.send("/", { method: "POST", headers: type, body: "a=%zz" })).status, 400);
    assert.equal((await bank.send("/", { method: "POST", headers: type, body: "a".repeat(2 ** 20 + 1) })).status, 413);
    assert.equal(bank.transfers, 0);
  });
});

describe("the log entry of a refusal", () => {
  test("holds its reason, method and path, and no secrets", async () => {
    const bank = new Bank();
    const token = await bank.token();
    const reasons: readonly (readonly [string, RequestInit])[] = [
      ["it came from another site", headers({ "sec-fetch-site": "cross-site" })],
      ["it had no X-CSRF-Token", { body: "x", ...headers({ "content-type": "text/plain" }) }],
      ["it had no token", form({ amount: "1" })],
      [
        "it had several tokens",
        form([
          ["csrf", token],
          ["csrf", token],
        ]),
      ],
      ["its token was wrong", form({ csrf: maskToken(newSecret()) })],
    ];
    for (const [reason, init] of reasons) {
      log.entries.length = 0;
      await bank.passes(init);
      const warning = log.entries.find(({ level }) => level === "warning") ?? assert.fail(reason);
      assert.equal(warning.message, `A request was refused by the CSRF check: ${reason}`);
      assert.deepEqual([warning.fields["method"], warning.fields["path"]], ["POST", "/transfer"]);
      assert.ok(!JSON.stringify(log.entries).includes(token));
    }
    bank.cookies.clear();
    await bank.passes(form({ csrf: token }));
    assert.match(JSON.stringify(log.entries), /its session has no token/);
  });

  test("leave one log entry each, at most 600 a minute", async () => {
    using clock = fakeClock();
    const bank = new Bank({});
    log.entries.length = 0;
    const loggedLevels = (): readonly string[] =>
      log.entries.map(({ level }) => level).filter((level) => level !== "debug");
    for (let count = 0; count < 601; count++) await bank.passes({ method: "POST" });
    assert.deepEqual(loggedLevels(), Array<string>(600).fill("warning"));
    await clock.advance(60_000);
    await bank.passes({ method: "POST" });
    const last = log.entries.findLast(({ level }) => level === "warning");
    assert.deepEqual([loggedLevels().length, last?.fields["omitted"]], [601, 1]);
  });

  for (const [environment, isShown, hasTestAdvice] of [
    ["development", true, false],
    ["test", true, true],
    ["production", false, false],
  ] as const) {
    test(`is ${isShown ? "" : "not "}shown by the page and the problem document in ${environment}`, async () => {
      Configuration.store([
        ["FRAMEWORK_ENV", environment],
        ["FRAMEWORK_SECRET", "a-secret-of-production-that-is-long-enough"],
      ]);
      const bank = new Bank();
      await bank.token();
      for (const accept of ["text/html", "application/json"]) {
        const response = await bank.post("/transfer", { amount: "1" }, { accept });
        assert.equal(response.status, 403);
        const text = await response.text();
        assert.match(text, /could not be checked/);
        assert.equal(/because it had no token\. A form sends Web\.Csrf\.find/.test(text), isShown);
        assert.equal(/In a test, get a page with a form first/.test(text), hasTestAdvice);
      }
    });
  }
});

test("a page with a token is unique, and never answered with 304", async () => {
  for (const [path, tagged] of [
    ["/form", false],
    ["/plain", true],
  ] as const) {
    const site = serve([etag(), session(), csrf()], (request) =>
      Response.text(request.path === "/form" ? find(request) : "plain"),
    );
    const browser = new Browser(site);
    await browser.get("/form");
    assert.equal((await browser.get(path)).headers.has("etag"), tagged, path);
  }
});

describe("a handler that requires the check", () => {
  const demanding: Handler = (request) => {
    requireCsrfProtection(request);
    return Response.text("in");
  };

  test("runs behind it, checked or not, and fails without it", async () => {
    for (const check of ["true", "false"]) {
      Configuration.store([["CHECK_CSRF", check]]);
      const guarded = new Browser(
        serve([session(), csrf()], (request) =>
          request.method === "GET" ? Response.text(find(request)) : demanding(request),
        ),
      );
      const token = await (await guarded.get("/")).text();
      assert.equal((await guarded.post("/", { csrf: token })).status, 200);
      assert.equal((await serve([session()], demanding)("/", { method: "POST" })).status, 500);
      assert.ok(isError(log.entries.at(-1)?.error, "E_CSRF_MISSING"));
    }
  });
});

describe("the check", () => {
  const isOn = async (): Promise<boolean> => !(await new Bank().passes({}));
  const store = (environment: string, check: string): void =>
    Configuration.store([
      ["FRAMEWORK_ENV", environment],
      ["CHECK_CSRF", check],
      ["FRAMEWORK_SECRET", "a-secret-of-production-that-is-long-enough"],
    ]);

  for (const environment of ["development", "test"]) {
    test(`is off in ${environment} unless CHECK_CSRF is true`, async () => {
      store(environment, "");
      assert.equal(await isOn(), false);
      store(environment, "false");
      assert.equal(await isOn(), false);
      store(environment, "true");
      assert.equal(await isOn(), true);
    });
  }

  test("refuses other sites in development and test, whatever CHECK_CSRF is", async () => {
    for (const environment of ["development", "test"]) {
      for (const check of ["", "false", "true"]) {
        store(environment, check);
        const bank = new Bank();
        for (const given of [
          { "sec-fetch-site": "cross-site" },
          { origin: "https://attacker.example" },
          { origin: "null" },
        ])
          for (const method of methods) assert.ok(!(await bank.passes({ method, headers: given })));
        for (const given of [{ "sec-fetch-site": "same-origin" }, { origin: "http://localhost" }])
          assert.equal(await bank.passes({ headers: given }), check !== "true");
      }
    }
  });

  test("is on in production with any CHECK_CSRF, and without an environment", async () => {
    for (const check of ["", "true", "false", "0"]) {
      store("production", check);
      assert.equal(await isOn(), true);
    }
    const { FRAMEWORK_ENV, NODE_ENV } = process.env;
    delete process.env["FRAMEWORK_ENV"];
    try {
      for (const other of ["", "test", "development"]) {
        process.env["NODE_ENV"] = other;
        ConfigurationInternals.reset();
        Configuration.store([["CHECK_CSRF", "false"]]);
        assert.equal(await isOn(), true);
      }
    } finally {
      Object.assign(process.env, FRAMEWORK_ENV === undefined ? {} : { FRAMEWORK_ENV });
      if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = NODE_ENV;
    }
  });

  for (const name of [
    "prod",
    "Production",
    "tset",
    "dev",
    "DEVELOPMENT",
    "Test",
    "testing",
    " development",
    "test ",
    "local",
    "staging",
    "null",
  ]) {
    test(`lets nothing through when the environment is ${JSON.stringify(name)}`, async () => {
      store(name, "false");
      const bank = new Bank();
      // No application starts with this value; a request to it fails.
      await assert.rejects(bank.send("/transfer", { method: "POST" }));
      assert.equal(bank.transfers, 0);
    });
  }

  test("returns tokens while it is off, too", async () => {
    store("test", "false");
    assert.match(await new Bank().token(), /^[\w-]{86}$/);
  });
});
