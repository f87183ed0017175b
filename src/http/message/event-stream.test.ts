import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { encodeEvent, type ServerEvent } from "./event-stream.ts";
import { live, wire } from "../server/live.test.ts";
import { Response } from "./response.ts";
import { get } from "../router/route.ts";

/** Yields the events, then waits forever. Records when it is closed. */
function waiting(...events: readonly ServerEvent[]): AsyncIterable<ServerEvent> & { readonly closed: Promise<void> } {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const left = [...events];
  const next = (): Promise<IteratorResult<ServerEvent>> => {
    const value = left.shift();
    return value === undefined ? new Promise(() => {}) : Promise.resolve({ done: false, value });
  };
  const close = (): Promise<IteratorResult<ServerEvent>> => {
    resolve();
    return Promise.resolve({ done: true, value: undefined });
  };
  return { closed, [Symbol.asyncIterator]: () => ({ next, return: close }) };
}

describe("an event", () => {
  test("is encoded line by line", () => {
    assert.equal(encodeEvent({ data: "a" }), "data: a\n\n");
    assert.equal(encodeEvent({ data: "a\nb\r\nc\rd" }), "data: a\ndata: b\ndata: c\ndata: d\n\n");
    assert.equal(
      encodeEvent({ data: "", event: "e", id: "1", retry: 2000 }),
      "event: e\nid: 1\nretry: 2000\ndata: \n\n",
    );
  });

  test("cannot contain another one", () => {
    for (const text of ["a\nb", "a\rb", "a\0b"]) {
      assert.throws(() => encodeEvent({ data: "", id: text }), { code: "E_EVENT_INVALID" });
      assert.throws(() => encodeEvent({ data: "", event: text }), { code: "E_EVENT_INVALID" });
    }
  });
});

describe("an event stream", () => {
  test("sends events as they arrive, and comments in between", async () => {
    const events = waiting({ data: "one" }, { data: "two" });
    await using server = await live({ router: get("/", () => Response.events(events, { heartbeatMs: 1 })) });
    const socket = connect(server.port, "127.0.0.1").setEncoding("latin1");
    socket.write(wire("GET", "/"));
    let text = "";
    for await (const chunk of socket) {
      text += String(chunk);
      if (/data: two[^]*:\r?\n[^]*:\n\n/.test(text)) break;
    }
    assert.match(text, /content-type: text\/event-stream\r\n/i);
    assert.match(text, /cache-control: no-store\r\n/i);
    assert.match(text, /:\n\n[^]*data: one\n\n[^]*data: two\n\n/);
    await events.closed;
  });

  test("ends when the server stops, and closes its source", async () => {
    const events = waiting();
    const server = await live({ router: get("/", () => Response.events(events)) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(wire("GET", "/"));
    await once(socket, "readable");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    const ended = once(socket, "end");
    await server[Symbol.asyncDispose]();
    await ended;
    await events.closed;
    assert.match(text, /\r\n0\r\n\r\n$/);
  });

  test("is a ReadableStream without a socket", async () => {
    const events = waiting({ data: "one" });
    const body = Response.events(events).toStandard().body as ReadableStream<Uint8Array>;
    const reader = body.getReader();
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    assert.deepEqual([await read(), await read()], [":\n\n", "data: one\n\n"]);
    await reader.cancel();
    await events.closed;
  });
});
