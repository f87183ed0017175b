import assert from "node:assert/strict";
import { once } from "node:events";
import { request as send } from "node:http";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, test, type TestContext } from "node:test";
import { App } from "../../../app/index.ts";
import { capturedLog, configuration, waitFor } from "../../../testing/index.ts";
import { choose, get, Http, Middleware, post, Response } from "../../../web/index.ts";
import type { MetricsService } from "../contract.ts";
import { parse, valueOf } from "../engine/exposition-parser.test.ts";
import { service, Web } from "../index.ts";

const token = "a-token-of-the-tests";
const authorized = { headers: { authorization: `Bearer ${token}` } };

describe("the metrics endpoint", () => {
  const ask = async (
    settings: Readonly<Record<string, string>>,
    init: RequestInit = {},
    options: Partial<Web.MetricsOptions> = {},
  ): Promise<globalThis.Response> => {
    using _ = configuration(settings);
    using __ = capturedLog("error");
    const metrics = service();
    metrics.counter({ name: "asked_total", help: "" }).add(1);
    const app = App.create({ services: [metrics, Http.service({ router: Web.router({ metrics, ...options }) })] });
    return await app.request(options.path ?? "/metrics", init);
  };
  const secret = { FRAMEWORK_SECRET: "0123456789abcdef0123456789abcdef" };

  test("responds to the token, with the media type of the format and no-store", async () => {
    for (const environment of ["production", "development", "test"]) {
      const answer = await ask({ ...secret, FRAMEWORK_ENV: environment, METRICS_TOKEN: token }, authorized);
      assert.equal(answer.status, 200, environment);
      assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(valueOf(await answer.text(), "asked_total"), 1);
    }
  });

  test("refuses a missing or wrong token in every environment", async () => {
    const others = [
      "",
      `Bearer ${token}x`,
      "Bearer ",
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      token,
      "Bearer \u00e9",
    ];
    for (const environment of ["production", "development", "test"]) {
      for (const authorization of others) {
        const headers = authorization === "" ? {} : { authorization };
        const answer = await ask({ ...secret, FRAMEWORK_ENV: environment, METRICS_TOKEN: token }, { headers });
        assert.equal(answer.status, 401, authorization);
        assert.equal(answer.headers.get("www-authenticate"), "Bearer");
        assert.doesNotMatch(await answer.text(), /asked_total/);
      }
    }
  });

  test("refuses with the error page of the application", async () => {
    const typeOf = async (headers: Readonly<Record<string, string>>): Promise<string | null> =>
      (await ask({ ...secret, FRAMEWORK_ENV: "production", METRICS_TOKEN: token }, { headers })).headers.get(
        "content-type",
      );
    assert.match((await typeOf({ accept: "text/html" })) ?? "", /^text\/html/);
    assert.match((await typeOf({})) ?? "", /^application\/problem\+json/);
  });

  test("is public without METRICS_TOKEN only if the environment is set and not production", async () => {
    const status = async (settings: Readonly<Record<string, string>>): Promise<number> => (await ask(settings)).status;
    assert.equal(await status({ FRAMEWORK_ENV: "development" }), 200);
    assert.equal(await status({ FRAMEWORK_ENV: "test" }), 200);
    assert.equal(await status({ ...secret, FRAMEWORK_ENV: "production" }), 404);
    const former = process.env["FRAMEWORK_ENV"];
    delete process.env["FRAMEWORK_ENV"];
    try {
      assert.equal(await status({}), 404);
    } finally {
      if (former !== undefined) process.env["FRAMEWORK_ENV"] = former;
    }
  });

  test("supports another path and another authorization", async () => {
    const production = { ...secret, FRAMEWORK_ENV: "production", METRICS_TOKEN: token };
    const options = { path: "/internal/figures", allow: ({ ip }: { readonly ip: string }) => ip === "127.0.0.1" };
    assert.equal((await ask(production, {}, options)).status, 200);
    assert.equal((await ask(production, authorized, { allow: async () => false })).status, 404);
  });

  test("has a check that warns when nobody can read the metrics", async () => {
    const levels = async (environment: "production" | "development", given: string): Promise<readonly string[]> => {
      using _ = configuration({ METRICS_TOKEN: given });
      return ((await service().check?.({ environment })) ?? []).map(({ level }) => level);
    };
    assert.deepEqual(await levels("production", ""), ["warning"]);
    assert.deepEqual(await levels("production", token), ["ok"]);
    assert.deepEqual(await levels("development", ""), ["ok"]);
  });

  test("a short or invalid token prevents the start", async () => {
    for (const weak of ["short", "sixteen letters with blanks"]) {
      using _ = configuration({ FRAMEWORK_ENV: "test", METRICS_TOKEN: weak });
      const app = App.create({ services: [service()] });
      await assert.rejects(app.start(), { code: "E_CONFIGURATION", message: /METRICS_TOKEN +must have at least 16/ });
    }
  });
});

interface Stage extends AsyncDisposable {
  readonly metrics: MetricsService;
  readonly port: number;
  readonly text: () => Promise<string>;
  /** Waits until the request for the metrics is the only active one. */
  readonly quiet: () => Promise<string>;
  /** Returns the number of requests that ended with this method, route and status. */
  readonly count: (method: string, route: string, status: string) => Promise<number>;
}

const active = "http_server_active_requests";
const duration = "http_server_request_duration_seconds";

/** Starts a server that counts its requests. */
async function open(context: TestContext): Promise<Stage> {
  const settings = configuration({ FRAMEWORK_ENV: "test", PORT: "0", HOST: "127.0.0.1", METRICS_TOKEN: token });
  const log = capturedLog("error");
  const metrics = service();
  const never = async function* (): AsyncGenerator<string> {
    yield "a first chunk";
    await new Promise(() => {});
  };
  const broken = async function* (): AsyncGenerator<string> {
    yield "a first chunk";
    throw new Error("the stream breaks");
  };
  const router = choose([
    Web.router({ metrics }),
    get("/", () => Response.text("home")),
    get("/fail", () => {
      throw new Error("on purpose");
    }),
    get("/pages/:page?", () => Response.text("page")),
    get("/wait", () => new Promise<Response>(() => {})),
    get("/never", () => Response.stream(never())),
    get("/broken", () => Response.stream(broken())),
    choose([get("/:id", () => Response.text("todo")), post("/:id", () => Response.empty(204))], {
      scope: "/api/todos",
    }),
  ]);
  const http = Http.service({
    router,
    observe: Web.requests({ metrics }),
    middlewares: [Middleware.requestLimit({ limit: 1e9, periodMs: 1000 })],
    limits: { maxEventLoopDelayMs: 0, stallTimeoutMs: 200 },
  });
  const app = App.create({ services: [metrics, http] });
  await app.start();
  const port = http.address()?.port ?? 0;
  const text = async (): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, authorized);
    assert.equal(answer.status, 200);
    return await answer.text();
  };
  const quiet = (): Promise<string> =>
    waitFor(async () => {
      const read = await text();
      return valueOf(read, active) === 1 ? read : undefined;
    }, context);
  return {
    metrics,
    port,
    text,
    quiet,
    count: async (method, route, status) =>
      valueOf(await quiet(), `${duration}_count`, {
        http_request_method: method,
        http_route: route,
        http_response_status_code: status,
      }) ?? 0,
    [Symbol.asyncDispose]: async () => {
      await app.stop();
      log[Symbol.dispose]();
      settings[Symbol.dispose]();
    },
  };
}

describe("request metrics", () => {
  test("count by method, route pattern and status", async (t) => {
    await using stage = await open(t);
    const at = async (path: string, method = "GET"): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${stage.port}${path}`, { method });
      await answer.text();
    };
    for (const path of ["/api/todos/1", "/api/todos/2?page=3", "/api/todos/2/"]) await at(path);
    await at("/api/todos/1", "POST");
    await at("/api/todos/1", "DELETE");
    await at("/api/todos/1", "OPTIONS");
    for (const path of ["/pages", "/pages/1", "/fail", "/nothing", "/%zz"]) await at(path);
    assert.equal(await stage.count("GET", "/api/todos/:id", "200"), 3);
    assert.equal(await stage.count("POST", "/api/todos/:id", "204"), 1);
    assert.equal(await stage.count("DELETE", "", "405"), 1);
    assert.equal(await stage.count("OPTIONS", "/api/todos/:id", "204"), 1);
    assert.equal(await stage.count("GET", "/pages/:page?", "200"), 2);
    assert.equal(await stage.count("GET", "/fail", "500"), 1);
    assert.equal(await stage.count("GET", "", "404"), 1);
    assert.equal(await stage.count("GET", "", "400"), 1);
  });

  test("count invented paths and methods in one series", async (t) => {
    await using stage = await open(t);
    const lines = async (): Promise<number> => parse(await stage.quiet()).get(duration)?.lines.length ?? 0;
    const sent = async (from: number): Promise<void> => {
      for (let at = from; at < from + 50; at++) {
        await (await fetch(`http://127.0.0.1:${stage.port}/made-up-${at}`)).text();
        const propfind = send({
          port: stage.port,
          host: "127.0.0.1",
          method: at % 2 ? "PROPFIND" : "MKCOL",
          path: "/",
        });
        const [answer] = (await once(propfind.end(), "response")) as [NodeJS.ReadableStream];
        await textOf(answer);
      }
    };
    await sent(0);
    await stage.quiet();
    const before = await lines();
    await sent(50);
    assert.equal(await lines(), before);
    assert.equal(await stage.count("GET", "", "404"), 100);
    assert.equal(await stage.count("_OTHER", "", "405"), 100);
  });

  test("count a request as active until its response ends in any way", async (t) => {
    await using stage = await open(t);
    const { port } = stage;
    const cut = async (path: string, awaited = ""): Promise<void> => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      for (let got = ""; !got.includes(awaited);) got += String(((await once(socket, "data")) as [Buffer])[0]);
      await waitFor(async () => (valueOf(await stage.text(), active) ?? 0) > 1, t);
      socket.destroy();
    };
    await cut("/wait");
    await stage.quiet();
    await cut("/never", "a first chunk");
    await stage.quiet();
    // The client closes its connection.
    const broken = connect(port, "127.0.0.1").on("error", () => {});
    broken.resume().write("GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise((resolve) => broken.once("close", resolve));
    await (await fetch(`http://127.0.0.1:${port}/fail`)).text();
    await stage.quiet();
    assert.equal(await stage.count("GET", "/wait", ""), 1);
    assert.equal(await stage.count("GET", "/never", "200"), 1);
    assert.equal(await stage.count("GET", "/broken", "200"), 1);
    assert.equal(await stage.count("GET", "/fail", "500"), 1);
  });

  test("can be read under load, and count every request", async (t) => {
    await using stage = await open(t);
    const client = async (): Promise<void> => {
      for (let at = 0; at < 50; at++) await (await fetch(`http://127.0.0.1:${stage.port}/api/todos/${at}`)).text();
    };
    const load = { isOver: false };
    const reader = async (): Promise<number> => {
      let last = 0;
      let reads = 0;
      for (; !load.isOver; reads++) {
        const { lines = [] } = parse(await stage.text()).get(duration) ?? {};
        const seen = lines
          .filter(({ name }) => name === `${duration}_count`)
          .reduce((sum, { value }) => sum + value, 0);
        assert.ok(seen >= last, "it only grows");
        last = seen;
      }
      return reads;
    };
    const reading = reader();
    await Promise.all(Array.from({ length: 8 }, client));
    load.isOver = true;
    assert.ok((await reading) > 0);
    assert.equal(await stage.count("GET", "/api/todos/:id", "200"), 400);
    const sum = valueOf(await stage.text(), `${duration}_sum`, {
      http_request_method: "GET",
      http_route: "/api/todos/:id",
      http_response_status_code: "200",
    });
    assert.ok(sum !== undefined && sum > 0 && sum < 400, `${sum} s`);
  });
});
