import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Response } from "../message/response.ts";
import { choose, get, post } from "../router/route.ts";
import { TimeInternals } from "../../time/index.ts";
import { live, notOnBun, wire } from "./live.test.ts";

const noMerging = notOnBun("Bun writes each chunk by itself");

describe("a streaming response", () => {
  test("is generated no faster than the client reads, and closed when the client disconnects", async () => {
    const closed = Promise.withResolvers<number>();
    async function* endless(): AsyncGenerator<Buffer> {
      let chunks = 0;
      try {
        for (;;) {
          chunks += 1;
          yield Buffer.alloc(64 * 1024);
          // A turn of the event loop: without back-pressure the generator would run ahead.
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        closed.resolve(chunks);
      }
    }
    await using server = await live({ router: get("/", () => Response.stream(endless())) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/"));
    await once(socket, "readable");
    socket.destroy();
    const chunks = await closed.promise;
    assert.ok(chunks < 2000, `${chunks} chunks of 64 KiB were made`);
    assert.deepEqual(server.logged.slice(1), []);
  });

  test("merges the chunks of one turn, so that a slow client keeps few objects in memory", noMerging, async () => {
    async function* tiny(): AsyncGenerator<string> {
      for (let chunk = 0; chunk < 10_000; chunk++) yield "x";
    }
    await using server = await live({ router: get("/", () => Response.stream(tiny())) });
    const answer = await server.talk(wire("GET", "/"));
    const sizes = answer.matchAll(/^([\da-f]+)\r$/gm).map(([, size = ""]) => Number.parseInt(size, 16));
    assert.deepEqual(
      [...sizes].filter((size) => size > 0),
      [10_000],
    );
  });

  test("of tiny chunks leaves other events their turns, however fast the client reads", noMerging, async () => {
    let [chunks, lastChunks, mostChunks] = [0, 0, 0];
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        chunks += 1;
        yield "0123456789abcdef";
      }
    }
    await using server = await live({ router: get("/", () => Response.stream(endless())) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/"));
    await once(socket, "data");
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      mostChunks = Math.max(mostChunks, chunks - lastChunks);
      lastChunks = chunks;
    }
    socket.destroy();
    // Each write takes 64 KiB, and as much is read ahead. Two writes may fall between two turns of this test.
    assert.ok(chunks > 0 && mostChunks <= (3 * 64 * 1024) / 16, `${mostChunks} chunks in one turn`);
  });

  test("that fails after its first chunk closes the connection, so that it does not look complete", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "first";
      // Time for the first chunk to leave.
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("late");
    }
    await using server = await live({ router: get("/", () => Response.stream(broken())) });
    const answer = await server.talk(wire("GET", "/"));
    assert.match(answer, /first/);
    assert.doesNotMatch(answer, /\r\n0\r\n\r\n$/);
    assert.deepEqual(server.logged.slice(1), ["The request failed: late"]);
  });

  test("that fails before its first chunk gives the error page, and a missing file 404", async () => {
    const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("early")) }) };
    await using server = await live({
      router: choose([get("/stream", () => Response.stream(failing)), get("/file", () => Response.file("/nowhere"))]),
    });
    const failed = await server.talk(wire("GET", "/stream"));
    assert.match(failed, /^HTTP\/1\.1 500 [^]*<h1>Something went wrong<\/h1>/);
    const missing = await server.talk(wire("GET", "/file"));
    assert.match(missing, /^HTTP\/1\.1 404 [^]*<h1>/);
  });

  test("of a ReadableStream is cancelled when the client disconnects", async () => {
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024)),
      cancel: () => cancelled.resolve(),
    });
    await using server = await live({ router: get("/", () => Response.stream(stream)) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/"));
    await once(socket, "readable");
    socket.destroy();
    await cancelled.promise;
  });

  test("can send back the body of its request", async () => {
    await using server = await live({ router: post("/", (request) => Response.stream(request.body)) });
    const body = "x".repeat(500_000);
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body });
    assert.equal(await response.text(), body);
  });

  test("can last as long as the body of its request arrives at the minimum rate", async (t) => {
    // A clock of its own: on a busy machine, the client would send too slowly.
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    const bodyTime = 50;
    await using server = await live({
      router: post("/", (request) => Response.stream(request.body)),
      limits: { bodyTimeoutMs: bodyTime },
    });
    const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
    const closed = once(socket, "close");
    let rest = "x".repeat(100_000);
    const send = (size: number): void => {
      socket.write(rest.slice(0, size));
      rest = rest.slice(size);
    };
    socket.write(wire("POST", "/", { "content-length": String(rest.length) }));
    const start = clock.monotonic();
    let answer = "";
    send(1);
    socket.on("data", async (chunk) => {
      answer += chunk.toString("latin1");
      // The minimum is a byte in 2 ms.
      await clock.advance(1);
      send(clock.monotonic() - start < 3 * bodyTime ? 1 : rest.length);
    });
    await closed;
    assert.equal(answer.slice(answer.indexOf("\r\n\r\n")).match(/x/g)?.length, 100_000);
  });
});

describe("the signal of a request", () => {
  test("is aborted when the client disconnects, and not after a complete response", async () => {
    const signals: AbortSignal[] = [];
    const begun = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    await using server = await live({
      router: choose([
        get("/", ({ signal }) => {
          signals.push(signal);
          return Response.text("");
        }),
        get("/slow", ({ signal }) => {
          begun.resolve();
          return new Promise<Response>((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              aborted.resolve();
              reject(signal.reason as Error);
            });
          });
        }),
      ]),
    });
    await server.talk(wire("GET", "/"));
    assert.equal(signals[0]?.aborted, false);

    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/slow"));
    await begun.promise;
    socket.destroy();
    await aborted.promise;
    assert.deepEqual(server.logged.slice(1), []);
  });
});
