import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get as httpGet, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { placeholderSecret } from "../../config/internal.ts";
import { TimeInternals } from "../../time/index.ts";
import { Response } from "../message/response.ts";
import { choose, get, post } from "../router/route.ts";
import { waitFor } from "../../testing/index.ts";
import { live, notOnBun, statusOf, wire } from "./live.test.ts";
import { service } from "../../web/application/service.ts";

describe("stopping", () => {
  test("answers requests in flight with Connection: close, and accepts no new connections", async (t) => {
    const arrived: (() => void)[] = [];
    const allHere = Promise.withResolvers<void>();
    const count = 20;
    const server = await live({
      router: get(
        "/",
        () =>
          new Promise<Response>((resolve) => {
            arrived.push(() => resolve(Response.text("done")));
            if (arrived.length === count) allHere.resolve();
          }),
      ),
    });
    const agent = new Agent({ keepAlive: true });
    const answers = Array.from({ length: count }, async () => {
      const request = httpGet({ port: server.port, host: "127.0.0.1", agent });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return [response.statusCode, response.headers.connection];
    });
    await allHere.promise;
    const stopped = server[Symbol.asyncDispose]();
    // Connections in the backlog of the system are still accepted; soon none are.
    const knock = (): Promise<string | undefined> =>
      new Promise((resolve) => {
        const late = connect(server.port, "127.0.0.1");
        late.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
        late.once("connect", () => {
          late.destroy();
          resolve(undefined);
        });
      });
    await waitFor(async () => (await knock()) === "ECONNREFUSED", t);
    for (const answer of arrived) answer();
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, [200, "close"]);
    await stopped;
    agent.destroy();
  });

  test("completes a response that its client reads slowly", notOnBun("Bun has a clock of its own"), async (t) => {
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    const body = "x".repeat(16_000_000);
    const server = await live({ router: get("/", () => Response.text(body)) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let received = 0;
    socket.on("data", (chunk) => (received += chunk.length));
    await once(socket, "data");
    socket.pause();
    const stopped = server[Symbol.asyncDispose]();
    for (let step = 0; step < 20; step++) await clock.advance(200);
    socket.resume();
    await waitFor(() => received > body.length, { signal: t.signal, events: [[socket, "data"]] });
    // The server looks for idle connections from time to time.
    await waitFor(async () => {
      await clock.advance(100);
      return socket.closed;
    }, t);
    await stopped;
    assert.ok(received > body.length, `${received} bytes`);
  });

  test("disconnects requests that exceed the drain timeout", async () => {
    const begun = Promise.withResolvers<void>();
    const server = await live({
      router: get("/", () => {
        begun.resolve();
        return new Promise<never>(() => {});
      }),
      limits: { drainTimeoutMs: 50 },
    });
    const answer = server.talk(wire("GET", "/"));
    await begun.promise;
    await server[Symbol.asyncDispose]();
    assert.equal(await answer, "");
  });
});

describe("work after a response", () => {
  test("runs after the client has the response, and a stopping server waits for it", async () => {
    const gate = Promise.withResolvers<void>();
    let isFinished = false;
    const router = get("/", (request) => {
      request.afterResponse(async () => {
        await gate.promise;
        isFinished = true;
      });
      return Response.text("sent");
    });
    const server = await live({ router });
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { connection: "close" } });
    assert.equal(await response.text(), "sent");
    assert.ok(!isFinished);
    const stopped = server[Symbol.asyncDispose]().then(() => isFinished);
    gate.resolve();
    assert.ok(await stopped);
  });

  test("runs for a failed response, while a stream is sent, after it, and if the client has gone", async (t) => {
    const finished: string[] = [];
    const arrived = Promise.withResolvers<void>();
    let afterwards = (): void => {};
    const router = choose([
      get("/broken", (request) => {
        request.afterResponse(() => finished.push("broken"));
        throw new Error("at once");
      }),
      get("/stream", (request) => {
        async function* chunks(): AsyncGenerator<string> {
          yield "a";
          request.afterResponse(() => finished.push("stream"));
        }
        return Response.stream(chunks());
      }),
      get("/late", (request) => {
        afterwards = () => request.afterResponse(() => finished.push("late"));
        return Response.text("sent");
      }),
      get("/gone", (request) => {
        request.afterResponse(() => finished.push("gone"));
        arrived.resolve();
        return new Promise<never>(() => {});
      }),
    ]);
    await using server = await live({ router });
    assert.equal(statusOf(await server.talk(wire("GET", "/broken"))), 500);
    assert.match(await server.talk(wire("GET", "/stream")), /a/);
    await server.talk(wire("GET", "/late"));
    afterwards();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/gone"));
    await arrived.promise;
    socket.destroy();
    await waitFor(() => finished.length === 4, t);
    assert.deepEqual(finished.toSorted(), ["broken", "gone", "late", "stream"]);
  });

  test("is abandoned after the drain timeout, with a warning", async () => {
    const router = get("/", (request) => {
      request.afterResponse(() => new Promise<never>(() => {}));
      return Response.text("sent");
    });
    const server = await live({ router, limits: { drainTimeoutMs: 50 } });
    assert.equal(statusOf(await server.talk(wire("GET", "/"))), 200);
    await server[Symbol.asyncDispose]();
    assert.deepEqual(server.logged.slice(1), ["The server stopped before the work after its responses"]);
  });
});

describe("starting", () => {
  test("reports a port in use, and a host that is not an address of this machine", async () => {
    await using server = await live({ router: { routes: [] } });
    const start = async (settings: readonly (readonly [string, string])[]): Promise<void> => {
      Configuration.store([["HOST", "127.0.0.1"], ...settings]);
      const http = service({ router: { routes: [] } });
      await http.start({ services: [http] });
    };
    await assert.rejects(start([["PORT", String(server.port)]]), { code: "E_PORT_TAKEN" });
    await assert.rejects(
      start([
        ["PORT", "0"],
        ["HOST", "192.0.2.1"],
        ["FRAMEWORK_ENV", "test"],
      ]),
      { code: "E_HOST_UNKNOWN" },
    );
  });

  test("refuses a public host while neither an environment nor a secret is set", async (t) => {
    const environment = process.env["FRAMEWORK_ENV"] ?? "";
    process.env["FRAMEWORK_ENV"] = "";
    t.after(() => (process.env["FRAMEWORK_ENV"] = environment));
    const start = async (settings: readonly (readonly [string, string])[]): Promise<void> => {
      ConfigurationInternals.reset();
      Configuration.store([["PORT", "0"], ...settings]);
      const http = service({ router: { routes: [] } });
      await http.start({ services: [http] });
      await http.stop();
    };
    const everywhere = ["HOST", "0.0.0.0"] as const;
    await assert.rejects(start([everywhere]), { code: "E_HOST_UNPROTECTED" });
    await assert.rejects(start([everywhere, ["FRAMEWORK_SECRET", placeholderSecret]]), {
      code: "E_HOST_UNPROTECTED",
    });
    for (const host of ["127.0.0.1", "127.9.9.9", "localhost"]) await start([["HOST", host]]);
    await start([everywhere, ["FRAMEWORK_SECRET", "a-secret-of-their-own"]]);
    await start([everywhere, ["FRAMEWORK_ENV", "development"]]);
    ConfigurationInternals.reset();
  });

  test("refuses duplicate routes", async () => {
    const http = service({
      router: { routes: [...get("/a", () => Response.text("")).routes, ...get("/a", () => Response.text("")).routes] },
    });
    await assert.rejects(async () => http.start({ services: [http] }), { code: "E_ROUTE_TAKEN" });
  });
});

describe("a slow client", () => {
  const noLimit = notOnBun("Bun knows one limit, for clients that send nothing at all");
  test("that does not complete its header or its body gets 408 and is disconnected", noLimit, async () => {
    await using server = await live({
      router: get("/", async (request) => Response.text(await request.text())),
      limits: { headerTimeoutMs: 100, requestTimeoutMs: 200 },
    });
    const answers = await Promise.all([
      server.talk("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "),
      server.talk("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"),
    ]);
    assert.deepEqual(answers.map(statusOf), [408, 408]);
    assert.deepEqual(server.logged.slice(1), []);
  });

  test("that sends its body below the minimum rate gets 408, whether the body is read or not", async () => {
    await using server = await live({
      router: choose([
        post("/read", async (request) => Response.text(await request.text())),
        post("/ignore", () => Response.text("ignored")),
      ]),
      limits: { bodyTimeoutMs: 50 },
    });
    const head = (path: string, length: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`;
    // A few bytes, which may be read at once, more bytes, and a chunked body of unknown length.
    for (const length of ["Content-Length: 10", "Content-Length: 1000", "Transfer-Encoding: chunked"]) {
      const part = length.startsWith("C") ? "abc" : "3\r\nabc\r\n";
      const answer = await server.talk(head("/read", length) + part);
      assert.match(answer, /^HTTP\/1\.1 408 [^]*\r\nconnection: close\r\n/i, length);
    }
    assert.equal(statusOf(await server.talk(`${head("/ignore", "Content-Length: 10")}abc`)), 200);
  });
});

describe("a client that disconnects", () => {
  test("before its body is complete fails the read, which is not logged as an error", async () => {
    for (const length of ["Content-Length: 10", "Content-Length: 100000", "Transfer-Encoding: chunked"]) {
      const begun = Promise.withResolvers<void>();
      const failed = Promise.withResolvers<unknown>();
      const router = post("/", async (request) => {
        const body = request.bytes();
        begun.resolve();
        return Response.bytes(await body.finally(() => failed.resolve(body)));
      });
      await using server = await live({ router });
      const socket = connect(server.port, "127.0.0.1");
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n3\r\n`);
      await begun.promise;
      socket.destroy();
      await assert.rejects(async () => failed.promise, { code: "E_CLIENT_GONE" }, length);
      assert.deepEqual(server.logged.slice(1), []);
    }
  });
});
