import assert from "node:assert/strict";
import { request as sendRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { isError } from "../../core/index.ts";
import { choose, createServer, get, type Middleware, post, type RequestObserver, Response } from "limmat/http";
import { Log, LogInternals } from "../../log/index.ts";

const router = choose([
  get("/hello/:name", ({ params }) => Response.json({ hello: params.name })),
  post("/echo", async (request) => Response.text(await request.text())),
  get("/broken", () => {
    throw new Error("secret detail");
  }),
]);

/** Sends a GET with this `Host` header. Fetch does not allow setting it. */
function statusForHost(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/hello/ada", headers: { host }, agent: false };
    sendRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("createServer", () => {
  let logged: unknown[] = [];
  beforeEach(() => {
    logged = [];
    Log.configure({ reporters: [{ report: ({ error }) => void logged.push(error) }] });
  });
  afterEach(() => LogInternals.reset());

  test("handles a Fetch API request without a socket", async () => {
    const server = createServer({ router });
    const response = await server.fetch(new globalThis.Request("http://localhost/hello/ada"));
    assert.deepEqual([response.status, await response.json()], [200, { hello: "ada" }]);
  });

  test("refuses headers of a Fetch API request that make the length of its body ambiguous", async () => {
    const server = createServer({ router });
    for (const header of ["content_length", "Transfer_Encoding"]) {
      const response = await server.fetch(
        new globalThis.Request("http://localhost/hello/ada", { headers: { [header]: "5" } }),
      );
      assert.equal(response.status, 400, header);
    }
  });

  test("listens on a free port of 127.0.0.1, and refuses connections after stop", async () => {
    const { address, stop } = await createServer({ router }).listen();
    const url = `http://127.0.0.1:${address.port}/echo`;
    try {
      assert.equal(address.host, "127.0.0.1");
      assert.ok(address.port > 0);
      const response = await fetch(url, { method: "POST", body: "hello", headers: { connection: "close" } });
      assert.deepEqual([response.status, await response.text()], [200, "hello"]);
    } finally {
      await stop();
    }
    await assert.rejects(fetch(url));
  });

  test("responds with 404 and 405 as plain text, and lists the methods in Allow", async () => {
    const server = createServer({ router });
    const missing = await server.fetch(new globalThis.Request("http://localhost/nowhere"));
    assert.equal(missing.status, 404);
    assert.equal(missing.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(await missing.text(), "There is nothing at this address.\n");

    const notAllowed = await server.fetch(new globalThis.Request("http://localhost/echo"));
    assert.deepEqual([notAllowed.status, notAllowed.headers.get("allow")], [405, "POST, OPTIONS"]);
    assert.equal(await notAllowed.text(), "This address does not support GET, only POST, OPTIONS.\n");
    assert.deepEqual(logged, []);
  });

  test("responds with 500 to an error of a handler, logs it, and hides its message", async () => {
    const response = await createServer({ router }).fetch(new globalThis.Request("http://localhost/broken"));
    assert.deepEqual([response.status, await response.text()], [500, "Internal Server Error\n"]);
    assert.deepEqual(
      logged.map((error) => (error as Error).message),
      ["secret detail"],
    );
  });

  test("logs nothing when a client disconnects while its body is read", async () => {
    const { promise: failed, resolve: onFailed } = Promise.withResolvers<unknown>();
    let socket: Socket | undefined;
    const read = post("/", async (request) => {
      const text = request.text();
      socket?.destroy();
      await text.catch(onFailed);
      return Response.text(await text);
    });
    const { address, stop } = await createServer({ router: read }).listen();
    try {
      socket = connect(address.port, address.host);
      socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
      assert.ok(isError(await failed, "E_CLIENT_GONE"));
      await setImmediate();
      assert.deepEqual(logged, []);
    } finally {
      await stop();
    }
  });

  test("makes error responses with onError", async () => {
    const server = createServer({
      router,
      onError: (_request, error) => Response.text(String(error), { status: 418 }),
    });
    const broken = await server.fetch(new globalThis.Request("http://localhost/broken"));
    assert.deepEqual([broken.status, await broken.text()], [418, "Error: secret detail"]);
    const notAllowed = await server.fetch(new globalThis.Request("http://localhost/echo"));
    assert.deepEqual([notAllowed.status, notAllowed.headers.get("allow")], [418, "POST, OPTIONS"]);
  });

  test("serves the router below the prefix only", async () => {
    const server = createServer({ router, prefix: "/app" });
    const statusOf = async (path: string): Promise<number> =>
      (await server.fetch(new globalThis.Request(`http://localhost${path}`))).status;
    assert.equal(await statusOf("/app/hello/ada"), 200);
    assert.equal(await statusOf("/hello/ada"), 404);
    assert.equal(await statusOf("/application/hello/ada"), 404);
  });

  test("runs the middlewares around unmatched requests as well", async () => {
    const paths: string[] = [];
    const record: Middleware = (handler) => (request) => {
      paths.push(request.path);
      return handler(request);
    };
    const server = createServer({ router, middlewares: [record] });
    await server.fetch(new globalThis.Request("http://localhost/hello/ada"));
    await server.fetch(new globalThis.Request("http://localhost/nowhere"));
    assert.deepEqual(paths, ["/hello/ada", "/nowhere"]);
  });

  test("refuses hosts that are not allowed, and accepts the address of the connection", async () => {
    const { address, stop } = await createServer({ router, allowedHosts: ["example.com", "*.example.org"] }).listen();
    try {
      assert.equal(await statusForHost(address.port, "example.com"), 200);
      assert.equal(await statusForHost(address.port, "a.example.org"), 200);
      assert.equal(await statusForHost(address.port, "127.0.0.1"), 200);
      assert.equal(await statusForHost(address.port, "evil.example"), 400);
    } finally {
      await stop();
    }
  });

  test("refuses invalid lists of hosts and proxies", () => {
    assert.throws(() => createServer({ router, allowedHosts: ["https://example.com"] }), { code: "E_SERVER_OPTION" });
    assert.throws(() => createServer({ router, trustedProxies: ["proxy.example.com"] }), { code: "E_SERVER_OPTION" });
  });

  test("enforces its limits", async () => {
    const server = createServer({ router, limits: { maxBodyBytes: 3 } });
    const statusOf = async (body: string): Promise<number> =>
      (await server.fetch(new globalThis.Request("http://localhost/echo", { method: "POST", body }))).status;
    assert.equal(await statusOf("abc"), 200);
    assert.equal(await statusOf("abcd"), 413);
  });

  test("reports each response to the observer", async () => {
    const reports: unknown[] = [];
    const { promise: reported, resolve } = Promise.withResolvers<void>();
    const observe: RequestObserver = (request) => (status, isIncomplete) => {
      reports.push([request.path, status, isIncomplete]);
      resolve();
    };
    const { address, stop } = await createServer({ router, observe }).listen();
    try {
      const response = await fetch(`http://127.0.0.1:${address.port}/hello/ada`, { headers: { connection: "close" } });
      await response.text();
      await reported;
    } finally {
      await stop();
    }
    assert.deepEqual(reports, [["/hello/ada", 200, false]]);
  });
});
