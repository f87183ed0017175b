import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { after, before, describe, test } from "node:test";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { choose, get, post } from "../router/route.ts";
import { waitFor } from "../../testing/index.ts";
import { TimeInternals } from "../../time/index.ts";
import type { Limits } from "./limits.ts";
import { certificate, live, type Live, notOnBun, writeKeyPair } from "./live.test.ts";

const router = choose([
  get("/", (request) =>
    Response.json({
      url: request.url.href,
      host: request.header("host"),
      names: [...request.headers].map(([name]) => name),
    })
      .withCookie({ name: "a", value: "1" })
      .withCookie({ name: "b", value: "2" }),
  ),
  post("/length", async (request) => Response.text(String((await request.bytes()).length))),
  post("/upload", (request) =>
    request.upload(({ file }) => Response.text(String(file("f")?.size)), { maxFileBytes: 500 }),
  ),
  post("/begin", async (request) => {
    const reader = request.body.getReader();
    await reader.read();
    return Response.text("begun");
  }),
  get("/forbidden", () => Response.text("", { headers: { "x-a": "b", "proxy-connection": "close" } })),
  post("/ignore", () => Response.text("ignored")),
  post("/away", () => Response.redirect("/")),
  post("/nothing-to-say", () => Response.text("")),
  get("/stream", () => Response.stream(["a", "b"])),
]);

function* endless(onClose: () => void): Generator<string> {
  try {
    for (;;) yield "more".repeat(1000);
  } finally {
    onClose();
  }
}

describe("with a certificate and its key", () => {
  let folder: string;
  let settings: readonly (readonly [string, string])[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    settings = await writeKeyPair(folder);
  });
  after(() => rm(folder, { recursive: true }));

  const noHttp2 = notOnBun("Bun.serve speaks HTTP/1.1 alone");
  test("supports HTTP/2", noHttp2, async () => {
    await using server = await live({ router, limits: { maxBodyBytes: 1000 } }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    const ask = async (
      path: string,
      method = "GET",
      body?: Buffer,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<{ headers: IncomingHttpHeaders; text: string }> => {
      const stream = session.request({ ":path": path, ":method": method, ...headers });
      stream.on("error", () => {});
      stream.end(body);
      const [answered] = (await once(stream, "response")) as [IncomingHttpHeaders];
      let text = "";
      for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
      return { headers: answered, text };
    };
    const upload = (size: number): ReturnType<typeof ask> => {
      const head = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
      const form = Buffer.concat([Buffer.from(head), Buffer.alloc(size), Buffer.from("\r\n--x--\r\n")]);
      return ask("/upload", "POST", form, { "content-type": "multipart/form-data; boundary=x" });
    };
    const home = await ask("/");
    assert.equal(home.headers[":status"], 200);
    assert.equal(home.headers["set-cookie"]?.length, 2);
    assert.deepEqual(JSON.parse(home.text), {
      url: `https://localhost:${server.port}/`,
      host: `localhost:${server.port}`,
      names: ["host"],
    });
    assert.equal((await ask("/", "HEAD")).headers["content-length"], home.headers["content-length"]);
    assert.equal((await ask("/stream")).text, "ab");
    assert.equal((await ask("/length", "POST", Buffer.alloc(1000))).text, "1000");
    assert.equal((await ask("/length", "POST", Buffer.alloc(1001))).headers[":status"], 413);
    assert.equal((await upload(500)).text, "500");
    assert.equal((await upload(501)).headers[":status"], 413);
    assert.equal((await upload(1000)).headers[":status"], 413);
    assert.equal((await ask("/%zz")).headers[":status"], 400);
    assert.equal((await ask("/nothing")).headers[":status"], 404);
    for (const path of ["*", "/"]) assert.equal((await ask(path, "OPTIONS")).headers[":status"], 204);
    assert.equal((await ask("/away", "POST", Buffer.alloc(1001))).headers["location"], "/");
    assert.equal((await ask("/nothing-to-say", "POST", Buffer.alloc(1001))).headers[":status"], 200);
    const { headers } = await ask("/forbidden");
    assert.deepEqual([headers[":status"], headers["x-a"]], [500, undefined]);
    const tunnel = session.request({ ":method": "CONNECT", ":authority": "localhost:1" }).end();
    const [refused] = (await once(tunnel.resume(), "response")) as [IncomingHttpHeaders];
    assert.equal(refused[":status"], 501);
    session.close();
  });

  test("refuses an HTTP/2 request whose Host differs from its :authority", noHttp2, async () => {
    await using server = await live({ router }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    const statusFor = async (host: string): Promise<number> => {
      const stream = session.request({ ":path": "/", ":authority": "localhost", host }).resume();
      const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
      return Number(headers[":status"]);
    };
    assert.deepEqual(await Promise.all(["127.0.0.1", "localhost:1", "Localhost"].map(statusFor)), [400, 400, 200]);
    session.close();
  });

  test(
    "resets an HTTP/2 stream whose body does not end after the response, and no other stream",
    noHttp2,
    async (t) => {
      const clock = TimeInternals.fakeClock();
      t.after(TimeInternals.useClock(clock));
      await using server = await live({ router, limits: { maxBodyBytes: 1000, bodyTimeoutMs: 50 } }, settings);
      const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
      const bodies = [
        ["/begin", 5, { "content-length": "10" }, "begun"],
        ["/begin", 5, {}, "begun"],
        ["/ignore", 5, {}, "ignored"],
        ["/length", 1001, { accept: "application/json" }, "413"],
      ] as const;
      for (const [path, size, headers, expected] of bodies) {
        const stream = session.request({ ":path": path, ":method": "POST", ...headers });
        stream.write(Buffer.alloc(size));
        let text = "";
        stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        await waitFor(() => text.includes(expected), { signal: t.signal, events: [[stream, "data"]] });
        await waitFor(async () => {
          await clock.advance(50);
          return stream.closed;
        }, t);
        assert.ok(text.includes(expected), `${path}: ${text}`);
        assert.equal(stream.rstCode, 0);
      }
      const next = session.request({ ":path": "/" }).resume();
      const [headers] = (await once(next, "response")) as [IncomingHttpHeaders];
      assert.equal(headers[":status"], 200);
      session.close();
    },
  );

  test(
    "notices an HTTP/2 client that disconnects before the response, and keeps no stream for it",
    noHttp2,
    async () => {
      for (const isAskedEarly of [true, false]) {
        const begun = Promise.withResolvers<void>();
        const gone = Promise.withResolvers<void>();
        const closed = Promise.withResolvers<void>();
        let signal: AbortSignal | undefined;
        const late = async (request: Request): Promise<Response> => {
          if (isAskedEarly) signal = request.signal;
          begun.resolve();
          await gone.promise;
          ({ signal } = request);
          return Response.stream(endless(closed.resolve));
        };
        const routes = choose([get("/", () => Response.text("")), get("/late", late)]);
        await using server = await live({ router: routes }, settings);
        const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
        const stream = session.request({ ":path": "/late" });
        await begun.promise;
        stream.close(constants.NGHTTP2_CANCEL);
        // The response to this request proves that the server has processed the end of the stream.
        await once(session.request({ ":path": "/" }).resume(), "close");
        gone.resolve();
        await closed.promise;
        assert.ok(signal?.aborted, `asked ${isAskedEarly ? "early" : "late"}`);
        session.close();
      }
    },
  );

  test("does not take the part of a reset HTTP/2 body for the whole", noHttp2, async () => {
    const reads: readonly ((request: Request) => Promise<unknown>)[] = [
      (request) => request.bytes(),
      (request) => Array.fromAsync(request.body),
    ];
    for (const [index, read] of reads.entries()) {
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<unknown>();
      const taken = post("/taken", async (request) => {
        const body = read(request);
        begun.resolve();
        return Response.json(await body.finally(() => ended.resolve(body)));
      });
      await using server = await live({ router: choose([get("/", () => Response.text("")), taken]) }, settings);
      const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
      const stream = session.request({ ":path": "/taken", ":method": "POST", "content-length": "1000" });
      stream.write("abc");
      await begun.promise;
      await once(session.request({ ":path": "/" }).resume(), "close");
      stream.close();
      await assert.rejects(async () => ended.promise, { code: "E_CLIENT_GONE" }, `reader ${index}`);
      session.close();
    }
  });

  test("closes the stream of an HTTP/2 client that does not read its response", noHttp2, async () => {
    const closed = Promise.withResolvers<void>();
    const routes = choose([get("/", () => Response.stream(endless(closed.resolve)))]);
    await using server = await live({ router: routes, limits: { stallTimeoutMs: 50 } }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, {
      ca: certificate,
      settings: { initialWindowSize: 0 },
    });
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    await closed.promise;
    session.destroy();
  });

  const noReset = notOnBun("Bun closes the connection without a reset");
  const clients = {
    HTTP: (port: number): Socket => connect(port, "127.0.0.1"),
    HTTPS: (port: number): Socket => connectTls({ port, host: "127.0.0.1", ca: certificate, servername: "localhost" }),
  };
  for (const [name, open] of Object.entries(clients)) {
    const stall = async (limits: Partial<Limits>): Promise<{ cut: Promise<void>; server: Live; socket: Socket }> => {
      const { promise: cut, resolve } = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const routes = get("/", () => {
        begun.resolve();
        return Response.stream(endless(resolve));
      });
      const server = await live({ router: routes, limits }, name === "HTTPS" ? settings : []);
      const socket = open(server.port);
      await once(socket, name === "HTTPS" ? "secureConnect" : "connect");
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      socket.pause();
      await begun.promise;
      return { cut, server, socket };
    };
    const outcomeOf = async (socket: Socket): Promise<string | undefined> => {
      const [error] = (await Promise.race([once(socket.resume(), "error"), once(socket, "end")])) as [
        NodeJS.ErrnoException | undefined,
      ];
      return error?.code;
    };

    // After an orderly close, the system keeps the unsent bytes and sends them as soon as the client reads.
    test(`resets the ${name} connection of a client that reads nothing`, noReset, async () => {
      const { cut, server, socket } = await stall({ stallTimeoutMs: 50 });
      await cut;
      assert.equal(await outcomeOf(socket), "ECONNRESET");
      await server[Symbol.asyncDispose]();
    });

    test(`resets the ${name} connections that exceed the drain timeout`, noReset, async () => {
      const { server, socket } = await stall({ drainTimeoutMs: 50 });
      await server[Symbol.asyncDispose]();
      assert.equal(await outcomeOf(socket), "ECONNRESET");
    });
  }

  test("resets an HTTP/2 stream whose response fails after its first chunk", noHttp2, async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "first";
      // Time for the first chunk to leave.
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("late");
    }
    await using server = await live({ router: get("/", () => Response.stream(broken())) }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    const stream = session.request({ ":path": "/" }).resume();
    const [failure] = (await Promise.race([once(stream, "error"), once(stream, "end")])) as [
      NodeJS.ErrnoException | undefined,
    ];
    assert.equal(failure?.code, "ERR_HTTP2_STREAM_ERROR");
    assert.deepEqual(server.logged.slice(1), ["The request failed: late"]);
    session.close();
  });

  const noHandshakeLimit = notOnBun("Bun has one timeout for clients that send nothing");
  test("closes a connection whose handshake exceeds Limits.headerTimeoutMs", noHandshakeLimit, async () => {
    await using server = await live({ router, limits: { headerTimeoutMs: 50 } }, settings);
    // Record header of a ClientHello of 512 bytes (RFC 8446 §5.1).
    const partialHello = Buffer.from("1603010200", "hex");
    for (const [start, rest] of [[], [partialHello], [partialHello, Buffer.alloc(1)]]) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      const closed = Promise.withResolvers<unknown>();
      socket.resume().once("close", closed.resolve);
      if (start !== undefined) socket.write(start);
      const timer = rest && setInterval(() => socket.write(rest), 5);
      await closed.promise;
      clearInterval(timer);
    }
  });

  test("closes an HTTP/2 connection whose request headers never end", noHttp2, async (t) => {
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    await using server = await live({ router, limits: { requestTimeoutMs: 1000 } }, settings);
    const frame = (
      type: number,
      payload: string,
      { flags = 0, stream = 0, length = payload.length / 2 } = {},
    ): Buffer =>
      Buffer.concat([
        Buffer.from([0, length >> 8, length & 0xff, type, flags, 0, 0, 0, stream]),
        Buffer.from(payload, "hex"),
      ]);
    const start = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, "")]);
    // GET, path /, https, authority "a"; the flags are END_HEADERS and END_STREAM.
    const complete = frame(1, "828487410161", { flags: 5, stream: 1 });
    const cases = {
      "no byte": [],
      "part of the preface": [Buffer.from("PRI *")],
      "no request": [start],
      "a header block without an end": [start, frame(1, "82", { stream: 1 })],
      // A header field of 64 bytes, of which a byte arrives each second.
      "a slow header field": [start, frame(1, "40017840", { stream: 1, length: 200 })],
      "a request, then a header block without an end": [start, complete, frame(1, "82", { stream: 3 })],
    };
    for (const [name, parts] of Object.entries(cases)) {
      const socket = connectTls({
        port: server.port,
        host: "127.0.0.1",
        ca: certificate,
        servername: "localhost",
        ALPNProtocols: ["h2"],
      });
      socket.on("error", () => {});
      await once(socket, "secureConnect");
      for (const part of parts) socket.write(part);
      let isClosed = false;
      socket.resume().once("close", () => (isClosed = true));
      await waitFor(
        async () => {
          if (name.startsWith("a slow")) socket.write("a");
          await clock.advance(500);
          return isClosed;
        },
        { signal: t.signal, events: [[socket, "close"]] },
      );
    }
  });

  test("supports clients with HTTP/1.1 only", async () => {
    await using server = await live({ router }, settings);
    const request = httpsRequest({ port: server.port, host: "localhost", ca: certificate, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.deepEqual([response.statusCode, response.httpVersion], [200, "1.1"]);
    response.resume();
  });

  // CVE-2026-21637 (Node): a server name that throws ended the process.
  test("survives any server name in the handshake", async () => {
    await using server = await live({ router }, settings);
    const names = ["localhost", "LOCALHOST.", "__proto__", "a".repeat(255), "..", "*", "-", "xn--", "a b", "a/b", "é"];
    for (const servername of names) {
      const socket = connectTls({ port: server.port, host: "127.0.0.1", servername, rejectUnauthorized: false });
      socket.on("error", () => {});
      socket.on("secureConnect", () => socket.end("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
      socket.resume();
      await once(socket, "close");
    }
    const request = httpsRequest({ port: server.port, host: "localhost", ca: certificate, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    assert.deepEqual(
      server.logged.filter((line) => !line.startsWith("Listening")),
      [],
    );
  });

  test("closes HTTP/2 connections gracefully on stop", noHttp2, async () => {
    const server = await live({ router }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    await once(session, "connect");
    const closed = once(session, "close");
    await server[Symbol.asyncDispose]();
    await closed;
  });

  test("refuses to start with invalid files", async () => {
    const start = (changes: readonly (readonly [string, string])[]): Promise<unknown> =>
      live({ router }, [...settings, ...changes]);
    await assert.rejects(start([["TLS_KEY", ""]]), { code: "E_TLS" });
    await assert.rejects(start([["TLS_KEY", join(folder, "none.pem")]]), { code: "E_TLS" });
    await assert.rejects(start([["TLS_CERT", join(folder, "key.pem")]]), { code: "E_TLS" });
  });
});
