// Costs of a body in tiny chunks, by counts: a chunk must cost nothing but its parsing.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Answer, requests, router, send1, send2, type Sent, storage } from "./chunk-client.test.ts";
import { type Live, live, notOnBun, timersOf, writeKeyPair } from "./live.test.ts";

const noHttp2 = notOnBun("Bun.serve speaks HTTP/1.1 alone");

describe("a body in tiny chunks", () => {
  let plain: Live;
  let secure: Live;
  let folder: string;
  before(async () => {
    await storage.start({ services: [] });
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    plain = await live({ router });
    secure = await live({ router }, await writeKeyPair(folder));
  });
  after(async () => {
    await plain[Symbol.asyncDispose]();
    await secure[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const protocols: readonly (readonly [
    name: string,
    options: object,
    send: (sent: Sent, size: number) => Promise<Answer>,
  ])[] = [
    ["HTTP/1.1", {}, (sent, size) => send1(plain.port, false, sent, size)],
    ["HTTP/1.1 over TLS", {}, (sent, size) => send1(secure.port, true, sent, size)],
    ["HTTP/2", noHttp2, (sent, size) => send2(secure.port, sent, size)],
  ];
  for (const [protocol, options, send] of protocols) {
    test(`reaches the handler in few chunks over ${protocol}`, options, async () => {
      for (const size of [1, 3, 100]) {
        const check = async (sent: Sent): Promise<void> => {
          const [status, text] = await send(sent, size);
          assert.equal(status, 200, `${sent.path} in chunks of ${size}`);
          const chunks = Number(text);
          assert.ok(chunks >= 1 && chunks <= 16, `${sent.path} in chunks of ${size}: ${text}`);
        };
        await Promise.all(requests(15_000).map(check));
      }
    });

    test(
      `is refused with 400 over ${protocol} once it has more than 16,384 chunks of less than 4 bytes`,
      options,
      async () => {
        const expectRefusal = async (sent: Sent): Promise<void> => {
          const [status, text] = await send(sent, 1);
          assert.equal(status, 400, sent.path);
          assert.match(text, /less than 4 bytes/);
        };
        await Promise.all(requests(40_000).map(expectRefusal));
        for (const sent of requests(100_000)) assert.equal((await send(sent, 5))[0], 200, sent.path);
      },
    );
  }

  test("that is not read gets the complete response before the reset of its stream over HTTP/2", noHttp2, async () => {
    // RFC 9113 §8.1: END_STREAM, then RST_STREAM with NO_ERROR.
    for (const sent of requests(40_000)) {
      const [status, text, frames = []] = await send2(secure.port, sent, 1, true);
      assert.equal(status, 400, sent.path);
      assert.match(text, /less than 4 bytes/);
      assert.deepEqual([frames[0], ...frames.slice(-2)], ["HEADERS", "DATA END_STREAM", "RST_STREAM 0"], sent.path);
    }
  });

  test("needs one timer, however many chunks arrive one by one", async () => {
    const timers = await timersOf(async () => {
      const head = "POST /raw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300\r\nConnection: close\r\n\r\n";
      const answer = await plain.talk(head, ...Array<string>(300).fill("a"));
      assert.match(answer, /^HTTP\/1\.1 200 /);
    });
    // The timers of the load shedder are shorter, and those of idle connections are one second.
    assert.ok(timers.filter((ms) => ms > 1000).length <= 1, String(timers));
  });
});
