import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { isolate, serve } from "../application/fetch.test.ts";
import type { Middleware } from "../../http/router/handler.ts";
import { preventNotModified } from "../../http/caching/index.ts";
import type { Request } from "../../http/message/request.ts";
import { Response, type ResponseInit } from "../../http/message/response.ts";
import { compression } from "./compression.ts";
import { contentLength } from "./content-length.ts";
import { etag } from "./etag.ts";

isolate();

const text = "All work and no play makes Jack a dull boy. ".repeat(50);
const decompress = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };

async function get(
  response: Response,
  headers: Record<string, string> = { "accept-encoding": "br" },
  inner: readonly Middleware[] = [],
): Promise<globalThis.Response> {
  return await serve([compression(), ...inner], () => response)("/", { headers });
}

async function bytesOf(response: globalThis.Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe("a text", () => {
  for (const coding of ["br", "zstd", "gzip"] as const) {
    test(`is compressed with ${coding} for clients that accept it`, async () => {
      for (const body of [
        Response.text(text),
        Response.bytes(Buffer.from(text), { headers: { "content-type": "text/css" } }),
      ]) {
        const response = await get(body, { "accept-encoding": coding }, [contentLength()]);
        assert.equal(response.headers.get("content-encoding"), coding);
        assert.equal(response.headers.get("vary"), "accept-encoding");
        const bytes = await bytesOf(response);
        assert.equal(response.headers.get("content-length"), String(bytes.length));
        assert.ok(bytes.length < text.length / 10);
        assert.equal(decompress[coding](bytes).toString(), text);
      }
    });

    test(`that is streamed is compressed with ${coding} chunk by chunk`, async () => {
      async function* chunks(): AsyncGenerator<string | Uint8Array> {
        yield "é1";
        await Promise.resolve();
        yield Buffer.from("2");
        yield text;
      }
      for (const body of [chunks(), ReadableStream.from([Buffer.from("é12"), Buffer.from(text)]), ["é1", "2", text]]) {
        const response = await get(
          Response.stream(body as Iterable<string>, { headers: { "content-type": "text/plain" } }),
          {
            "accept-encoding": coding,
          },
        );
        assert.equal(response.headers.get("content-encoding"), coding);
        assert.equal(decompress[coding](await bytesOf(response)).toString(), `é12${text}`);
      }
    });
  }

  test("is sent uncompressed to other clients, with Vary", async () => {
    for (const accept of ["identity", "deflate", "br;q=0", ""]) {
      const response = await get(Response.text(text), { "accept-encoding": accept });
      assert.equal(response.headers.get("content-encoding"), null);
      assert.equal(response.headers.get("vary"), "accept-encoding");
      assert.equal(await response.text(), text);
    }
  });

  test("is not compressed below a kilobyte, or the configured threshold", async () => {
    assert.equal((await get(Response.text("a".repeat(1023)))).headers.get("content-encoding"), null);
    assert.equal((await get(Response.text("a".repeat(1024)))).headers.get("content-encoding"), "br");
    const all = serve([compression({ thresholdBytes: 1 })], () => Response.text("a"));
    assert.equal((await all("/", { headers: { "accept-encoding": "gzip" } })).headers.get("content-encoding"), "gzip");
  });

  test("has the same headers for HEAD", async () => {
    const ask = serve([compression()], () => Response.text(text));
    const headers = { "accept-encoding": "gzip" };
    const [page, head] = [await ask("/", { headers }), await ask("/", { method: "HEAD", headers })];
    assert.equal(head.headers.get("content-length"), page.headers.get("content-length"));
    assert.equal(await head.text(), "");
  });

  test("keeps a weak tag, and a strong one gets the coding as a suffix", async () => {
    const weak = await get(Response.text(text), undefined, [etag()]);
    assert.match(weak.headers.get("etag") ?? "", /^W\/"[\w-]+"$/);
    for (const coding of ["br", "zstd", "gzip"]) {
      const strong = await get(Response.text(text, { headers: { etag: '"a"' } }), { "accept-encoding": coding });
      assert.equal(strong.headers.get("etag"), `"a-${coding}"`);
    }
    const small = await get(Response.text("a", { headers: { etag: '"a"' } }));
    assert.equal(small.headers.get("etag"), '"a"');
    const stream = await get(Response.stream([text], { headers: { etag: '"a"', "content-type": "text/plain" } }));
    assert.equal(stream.headers.get("etag"), 'W/"a"');
  });

  test("is a 304 by its tag only for GET and HEAD with status 200, and never with a nonce or token", async () => {
    const conditional = { "accept-encoding": "br", "if-none-match": '"b", "a-br"' };
    const ask = async (method: string, status: number, isPrevented = false): Promise<number> => {
      const handler = (request: Request): Response => {
        if (isPrevented) preventNotModified(request);
        return Response.text(text, { status, headers: { etag: '"a"' } });
      };
      return (await serve([compression()], handler)("/", { method, headers: conditional })).status;
    };
    assert.deepEqual([await ask("GET", 200), await ask("HEAD", 200)], [304, 304]);
    assert.deepEqual([await ask("GET", 201), await ask("PUT", 200), await ask("GET", 200, true)], [201, 200, 200]);
    const other = { "accept-encoding": "gzip", "if-none-match": '"a-br"' };
    assert.equal((await get(Response.text(text, { headers: { etag: '"a"' } }), other)).status, 200);
    const unchanged = await get(Response.text(text, { headers: { etag: '"a"' } }), conditional);
    assert.deepEqual([await unchanged.text(), unchanged.headers.get("content-encoding")], ["", null]);
  });

  test("keeps the weak tag in the 304 of a stream", async () => {
    for (const [listed, expected] of [
      ['W/"a"', 'W/"a"'],
      ['"a"', '"a"'],
      ["*", '"a"'],
    ] as const) {
      const headers = { "accept-encoding": "br", "if-none-match": listed };
      const unchanged = await get(Response.empty(304, { headers: { etag: '"a"' } }), headers);
      assert.equal(unchanged.headers.get("etag"), expected);
    }
  });

  // RFC 9110 §15.4.5: a cache updates its copy by the tag of a 304, and chooses the copy by Vary.
  test("is a 304 with the tag and Vary of the 200", async () => {
    for (const [coding, init] of [
      ["br", {}],
      ["br", { headers: { etag: '"a"' } }],
      ["br", { headers: { etag: '"a"', vary: "accept" } }],
      ["br", { headers: { etag: '"a"', "cache-control": "no-transform" } }],
      ["identity", { headers: { etag: '"a"' } }],
    ] as const) {
      const headers = { "accept-encoding": coding };
      const page = await get(Response.text(text, init), headers, [etag()]);
      const tag = page.headers.get("etag") ?? "";
      const unchanged = await get(Response.text(text, init), { ...headers, "if-none-match": tag }, [etag()]);
      assert.equal(unchanged.status, 304);
      assert.equal(unchanged.headers.get("etag"), tag, JSON.stringify(init));
      assert.equal(unchanged.headers.get("vary"), page.headers.get("vary"), JSON.stringify(init));
    }
  });
});

describe("a response that is not compressed", () => {
  const cases: Readonly<Record<string, ResponseInit>> = {
    "an image": { headers: { "content-type": "image/png" } },
    "a video": { headers: { "content-type": "video/mp4" } },
    "what has no type": { headers: { "content-type": "" } },
    "an event stream": { headers: { "content-type": "text/event-stream; charset=utf-8" } },
    "what is compressed": { headers: { "content-encoding": "gzip" } },
    "a part": { status: 206, headers: { "content-range": "bytes 0-1/2" } },
    "what must not be changed": { headers: { "cache-control": "private, no-transform" } },
  };
  for (const [name, init] of Object.entries(cases)) {
    test(`is ${name}`, async () => {
      const response = await get(Response.text(text, init));
      assert.notEqual(response.headers.get("content-encoding"), "br");
      assert.equal(response.headers.get("vary"), null);
    });
  }

  test("is one to a cross-site request with cookies", async () => {
    for (const site of ["cross-site", "same-site"]) {
      const headers = { "accept-encoding": "br", "sec-fetch-site": site };
      assert.equal(
        (await get(Response.text(text), { ...headers, cookie: "a=b" })).headers.get("content-encoding"),
        null,
      );
      assert.equal((await get(Response.text(text), headers)).headers.get("content-encoding"), "br");
    }
    const own = { "accept-encoding": "br", "sec-fetch-site": "same-origin", cookie: "a=b" };
    assert.equal((await get(Response.text(text), own)).headers.get("content-encoding"), "br");
  });

  for (const type of [
    "application/json",
    "application/problem+json",
    "image/svg+xml",
    "text/html; charset=utf-8",
    "application/javascript",
  ]) {
    test(`is not ${type}`, async () => {
      const response = await get(Response.text(text, { headers: { "content-type": type } }));
      assert.equal(response.headers.get("content-encoding"), "br");
    });
  }
});

describe("a compressed stream", () => {
  test("destroys its source when the client disconnects", async () => {
    let isEnded = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield text;
      } finally {
        isEnded = true;
      }
    }
    const response = await get(Response.stream(endless(), { headers: { "content-type": "text/plain" } }));
    const reader = response.body?.getReader() ?? assert.fail();
    await reader.read();
    await reader.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(isEnded);
  });

  test("destroys a source that waits for its next chunk", async () => {
    const cancelled = Promise.withResolvers<void>();
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(text)),
      cancel: () => cancelled.resolve(),
    });
    const response = await get(Response.stream(source, { headers: { "content-type": "text/plain" } }));
    const reader = response.body?.getReader() ?? assert.fail();
    await reader.read();
    await reader.cancel();
    await cancelled.promise;
  });

  test("of tiny chunks is flushed for those of one turn of the event loop together", async () => {
    const body = Array<string>(20_000).fill("a");
    const response = await get(Response.stream(body, { headers: { "content-type": "text/plain" } }));
    const bytes = await bytesOf(response);
    // A flush takes at least four bytes.
    assert.ok(bytes.length < 1000, `${bytes.length} bytes`);
    assert.equal(decompress.br(bytes).length, body.length);
  });

  test("fails when its source does", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield text;
      await Promise.resolve();
      throw new Error("the source failed");
    }
    const response = await get(Response.stream(failing(), { headers: { "content-type": "text/plain" } }));
    await assert.rejects(response.text());
  });
});
