import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { TimeInternals } from "../../time/index.ts";
import { live, notOnBun, wire } from "./live.test.ts";

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Opens a connection. `received` holds its bytes, also after its end. */
async function open(port: number): Promise<{ readonly socket: Socket; received: string }> {
  const socket = connect({ port, host: "127.0.0.1" });
  const connection = { socket, received: "" };
  socket.setEncoding("latin1").on("data", (text: string) => (connection.received += text));
  await once(socket, "connect");
  return connection;
}

describe("a connection that waits for another request", notOnBun("Bun closes idle connections itself"), () => {
  test("is closed after Limits.keepAliveMs, and one in use is not", async (t) => {
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const router = choose([
      get("/", () => Response.text("")),
      get("/slow", async () => {
        begun.resolve();
        await release.promise;
        return Response.text("slow");
      }),
    ]);
    await using server = await live({ router, limits: { keepAliveMs: 50 } });
    const idle = await open(server.port);
    const busy = await open(server.port);
    const pending = await open(server.port);
    pending.socket.write(request("/slow"));
    await begun.promise;
    const ask = async ({ socket }: typeof idle): Promise<void> => {
      socket.write(request("/"));
      await once(socket, "data");
    };
    const ended = once(idle.socket, "end");
    await ask(idle);
    assert.match(idle.received, /^HTTP\/1\.1 200 /);
    for (let checks = 0; checks < 5; checks++) {
      await ask(busy);
      await clock.advance(50);
    }
    await ended;
    await ask(busy);
    release.resolve();
    await once(pending.socket, "data");
    assert.match(pending.received, /slow$/);
    for (const { socket } of [idle, busy, pending]) socket.destroy();
  });

  test("is closed although it sends blank lines", async (t) => {
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    await using server = await live({ router: get("/", () => Response.text("")), limits: { keepAliveMs: 50 } });
    const ask = async (socket: Socket): Promise<void> => {
      socket.write(request("/"));
      await once(socket, "data");
    };
    const [{ socket: idle }, { socket: busy }] = [await open(server.port), await open(server.port)];
    const closed = Promise.withResolvers<unknown>();
    // The last blank lines may reach a closed connection.
    idle.on("error", () => {}).once("close", closed.resolve);
    await ask(idle);
    for (let checks = 0; checks < 5; checks++) {
      idle.write("\r\n");
      // The response proves that the server has read the blank line.
      await ask(busy);
      await clock.advance(50);
    }
    await closed.promise;
    busy.destroy();
  });

  test("gets 408 if it has begun one", async () => {
    const router = get("/", () => Response.text(""));
    await using server = await live({ router, limits: { keepAliveMs: 10, headerTimeoutMs: 200 } });
    const partial = await open(server.port);
    partial.socket.write(`${request("/")}GET / HTTP/1.1\r\nHo`);
    await once(partial.socket, "end");
    assert.match(partial.received, /^HTTP\/1\.1 200 [^]*\r\nHTTP\/1\.1 408 /);
    partial.socket.destroy();
  });
});

test(
  "every response on a persistent connection says how long the connection stays open",
  notOnBun("Bun does not say it"),
  async () => {
    const router = choose([
      get("/text", () => Response.text("")),
      get("/none", () => Response.empty(204)),
      get("/stream", () => Response.stream(new Blob(["a"]).stream())),
    ]);
    await using server = await live({ router, limits: { keepAliveMs: 7000 } });
    const lines = ["Connection: keep-alive", "Keep-Alive: timeout=7"];
    for (const path of ["/text", "/none", "/stream", "/missing"]) {
      const answers = await server.talk(request(path) + wire("GET", "/text"));
      const [first = "", last = ""] = answers.split(/(?=HTTP\/1\.1 )/);
      assert.deepEqual(first.match(/^(connection|keep-alive): .*$/gim)?.toSorted(), lines, path);
      assert.doesNotMatch(last, /keep-alive/i);
    }
  },
);
