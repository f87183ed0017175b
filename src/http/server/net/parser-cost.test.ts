import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AllowedHosts } from "../allowed-hosts.ts";
import { notOnBun } from "../live.test.ts";
import { type MessageReceiver, type ParserRules, RequestParser } from "./parser.ts";

const rules: ParserRules = { maxHeaderBytes: 16_384, maxHeaders: 5000, allowedHosts: new AllowedHosts(() => true) };
const ignored: MessageReceiver = { onHead: () => {}, onBody: () => {}, onEnd: () => {}, onRefused: () => {} };
const get = (fields: string, line = "GET / HTTP/1.1"): string => `${line}\r\nHost: a\r\n${fields}\r\n`;
const chunked = (body: string): string => get("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.1") + body;

describe("the cost of a request", () => {
  /** Returns bytes that count how often they are read. */
  function counting(bytes: Buffer): { readonly bytes: Buffer; readonly count: () => number } {
    let count = 0;
    const proxy = new Proxy(bytes, {
      get: (target, key) => {
        const property: unknown = Reflect.get(target, key);
        if (typeof key === "string" && /^\d+$/.test(key)) count += 1;
        return typeof property === "function" ? (property.bind(target) as unknown) : property;
      },
    });
    return { bytes: proxy, count: () => count };
  }

  const texts: Readonly<Record<string, string>> = {
    "a long line": get(`X: ${"x".repeat(8000)}\r\n`),
    "many lines": get("x: y\r\n".repeat(2000)),
    "trailing blanks": get(`X: ${" \t".repeat(4000)}\r\n`),
    "a long target": get("", `GET /${"x".repeat(8000)} HTTP/1.1`),
    trailers: chunked(`0\r\n${"x: y\r\n".repeat(2000)}\r\n`),
    "tiny chunks": chunked(`${"1\r\na\r\n".repeat(2000)}0\r\n\r\n`),
    "chunk extensions": chunked(`${"1;a\r\na\r\n".repeat(2000)}0\r\n\r\n`),
  };
  for (const [name, text] of Object.entries(texts)) {
    test(`with ${name} is linear, also byte by byte`, () => {
      for (const pieceBytes of [1, text.length]) {
        const { bytes, count } = counting(Buffer.from(text));
        let ends = 0;
        const parser = new RequestParser(rules, { ...ignored, onEnd: () => (ends += 1) });
        let start = 0;
        for (let end = pieceBytes; end <= text.length; end += pieceBytes) {
          for (let at = -1; at !== start && start < end;) {
            at = start;
            start = parser.parse(bytes, start, end);
          }
        }
        assert.equal(ends, 1);
        assert.ok(count() < 5 * text.length, `${count()} reads of ${text.length} bytes`);
      }
    });
  }

  test("a value that outlives a request does not keep its head in memory", notOnBun("it is about V8"), () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const kept: unknown[] = [];
    const parser = new RequestParser(rules, {
      ...ignored,
      onHead: (head) => kept.push(head.header("cookie"), head.target, head.path, head.headers.flat[1], head.method),
    });
    const fill = (index: number): string => `X: ${"x".repeat(15_000)}\r\nCookie: ${index}-${"c".repeat(30)}\r\n`;
    const run = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const line = `GET /${index}/${"p".repeat(30)} HTTP/1.1\r\nHost: ${"h".repeat(30)}`;
        const bytes = Buffer.from(`${line}\r\n${fill(index)}\r\n`);
        assert.equal(parser.parse(bytes, 0, bytes.length), bytes.length);
      }
    };
    run(100);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    run(1000);
    collectGarbage();
    const bytes = (process.memoryUsage().heapUsed - before) / 1000;
    assert.equal(kept.length, 5500);
    assert.ok(bytes < 2000, `${bytes} bytes per request`);
  });
});
