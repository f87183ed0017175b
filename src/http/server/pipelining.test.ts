// Order, number and context of the responses of one connection.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { Response } from "../message/response.ts";
import { choose, get, post, type Router } from "../router/route.ts";
import { countOf, live, notOnBun, statusOf, wire } from "./live.test.ts";

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
/** Returns the options of a test that passes on the server on `node:net` only. */
const onlyNet = (reason: string): { readonly skip: string | false } => ({
  skip: (process.env["HTTP_SERVER"] === "node" || process.versions["bun"] !== undefined) && reason,
});
const bodiesOf = (answers: string): readonly string[] =>
  answers.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => answer.slice(answer.indexOf("\r\n\r\n") + 4));

describe("pipelined requests", notOnBun("Bun closes the connection at a second request"), () => {
  test("are answered in their order, whatever their handlers wait for", async () => {
    const router = get("/:id", async ({ params: { id } }) => {
      if (Number(id) % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      return Response.text(id);
    });
    await using server = await live({ router });
    const ids = Array.from({ length: 100 }, (_, index) => String(index));
    const answers = await server.talk(`${ids.map((id) => request(`/${id}`)).join("")}${wire("GET", "/last")}`);
    assert.deepEqual(bodiesOf(answers), [...ids, "last"]);
  });

  test("have their responses in one write, if no handler waits", onlyNet("each has a write of its own"), async () => {
    await using server = await live({ router: get("/:id", ({ params: { id } }) => Response.text(id)) });
    const socket = connect(server.port, "127.0.0.1");
    const received = once(socket, "data");
    socket.write(Array.from({ length: 16 }, (_, index) => request(`/${index}`)).join(""));
    const [bytes] = (await received) as [Buffer];
    assert.equal(countOf(bytes.toString("latin1")), 16);
    socket.destroy();
  });

  test("before a malformed one are answered, and none behind it", async () => {
    const ran: string[] = [];
    const router = get("/:id", async ({ params: { id } }) => {
      ran.push(id);
      await new Promise((resolve) => setImmediate(resolve));
      return Response.text(id);
    });
    await using server = await live({ router });
    const requests = Array.from({ length: 16 }, (_, index) => request(`/${index}`));
    const answers = await server.talk(requests.with(2, "GE\x01T / HTTP/1.1\r\nHost: localhost\r\n\r\n").join(""));
    assert.deepEqual(ran, ["0", "1"]);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    assert.ok(statuses.length <= 3, answers);
    assert.deepEqual(statuses, ["200", "200", "400"].slice(0, statuses.length));
  });

  const broken = "POST /:path HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nX\r\n";
  const brokenRouter: Router = choose([
    post("/early", () => Response.text("early")),
    post("/late", async (received) => Response.text(await received.text())),
    get("/ran", () => assert.fail("a request behind malformed input was handled")),
  ]);
  for (const path of ["early", "late"]) {
    test(`a malformed body has one response, if its handler answers ${path}`, async () => {
      await using server = await live({ router: brokenRouter });
      const bytes = broken.replace(":path", path) + request("/ran");
      const cut = bytes.indexOf("X\r\n");
      for (const parts of [[bytes], [bytes.slice(0, cut), bytes.slice(cut)], bytes.split("")]) {
        const answers = await server.talk(...parts);
        assert.ok(countOf(answers) <= 1, answers);
      }
    });
  }

  test("do not run in the asynchronous context of an earlier one", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const router = choose([
      get("/now/:id", ({ params: { id } }) => {
        seen.push(storage.getStore());
        storage.enterWith(id);
        return Response.text(id);
      }),
      get("/later/:id", async ({ params: { id } }) => {
        seen.push(storage.getStore());
        storage.enterWith(id);
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(storage.getStore(), id);
        return Response.text(id);
      }),
    ]);
    await using server = await live({ router });
    const paths = ["/now/1", "/later/2", "/later/3", "/now/4", "/now/5"];
    const answers = await server.talk(paths.map(request).join("") + wire("GET", "/now/6"));
    assert.equal(countOf(answers), 6);
    assert.deepEqual(
      seen,
      seen.map(() => undefined),
    );
  });

  const oneRead = onlyNet("handles all requests of one read in one turn");
  test("of one connection keep others waiting for 32 of them, not for all", oneRead, async () => {
    const order: string[] = [];
    const router = get("/:id", ({ params: { id } }) => {
      order.push(id);
      return Response.text(id);
    });
    await using server = await live({ router });
    const [busy, other] = [connect(server.port, "127.0.0.1"), connect(server.port, "127.0.0.1")];
    await Promise.all([once(busy, "connect"), once(other, "connect")]);
    const answered = once(other, "data");
    busy.write(request("/busy").repeat(1500));
    other.write(request("/other"));
    await answered;
    // The system may report the second connection one turn later.
    assert.ok(order.indexOf("other") <= 2 * 32, `answered after ${order.indexOf("other")} requests`);
    for (const socket of [busy, other]) socket.destroy();
  });
});

describe("a body that its handler does not read", () => {
  test("is received no further than its limit, and other clients are served", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const router = choose([
      get("/", () => Response.text("")),
      post("/", async () => {
        begin();
        await released;
        return Response.text("unread");
      }),
    ]);
    await using server = await live({ router, limits: { maxBodyBytes: 100_000_000 } });
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    let isTaken = false;
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 64000000\r\n\r\n");
    socket.write(Buffer.alloc(64_000_000), () => (isTaken = true));
    await begun;
    // The system has buffers of a few megabytes.
    for (let requests = 0; requests < 20; requests++) assert.equal(statusOf(await server.talk(wire("GET", "/"))), 200);
    assert.equal(isTaken, false);
    const answered = once(socket, "data");
    release();
    assert.match(String(await answered), /^HTTP\/1\.1 200 [^]*unread$/);
    socket.destroy();
  });
});

describe("a client that closes its side of the connection", notOnBun("Bun closes the connection"), () => {
  test("gets the responses to its complete requests", onlyNet("node:http closes both sides"), async () => {
    const later = get("/:id", async ({ params: { id } }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return Response.text(id);
    });
    await using server = await live({ router: later });
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    let answers = "";
    socket.setEncoding("latin1").on("data", (text: string) => (answers += text));
    socket.end(request("/1") + request("/2") + request("/3"));
    await once(socket, "end");
    assert.deepEqual(bodiesOf(answers), ["1", "2", "3"]);
  });

  test("is disconnected if it gets no response in time, because it has gone in most cases", async () => {
    const failed = Promise.withResolvers<unknown>();
    const router = get("/", ({ signal }) => {
      signal.addEventListener("abort", () => failed.resolve(signal.reason));
      return new Promise<Response>(() => {});
    });
    await using server = await live({ router, limits: { stallTimeoutMs: 50 } });
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.resume().end(request("/"));
    await once(socket, "close");
    assert.ok(isError(await failed.promise, "E_CLIENT_GONE"));
  });

  test("within a request gets 400", async () => {
    const router = post("/", async (received) => Response.text(await received.text()));
    await using server = await live({ router });
    for (const part of ["GET / HT", wire("POST", "/", { "content-length": "5" }, "abc")]) {
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      const answered = once(socket, "data");
      socket.end(part);
      assert.equal(statusOf(String(await answered)), 400, part);
      socket.destroy();
    }
  });
});

test(
  "a stream that differs from its declared length closes the connection",
  onlyNet("node:http sends it"),
  async () => {
    const stream = (length: number): Response =>
      Response.stream(["abc", "def"], { headers: { "content-length": String(length) } });
    const router = get("/:length", ({ params: { length } }) => stream(Number(length)));
    await using server = await live({ router });
    assert.match(await server.talk(wire("GET", "/6")), /\r\n\r\nabcdef$/);
    for (const length of [5, 7]) {
      const answers = await server.talk(request(`/${length}`) + wire("GET", "/6"));
      assert.ok(countOf(answers) <= 1, answers);
      assert.doesNotMatch(answers, /abcdef.*HTTP/s);
    }
  },
);
