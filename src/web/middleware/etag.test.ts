import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import { nonce } from "./security-headers.ts";
import { Response, type ResponseInit } from "../../http/message/response.ts";
import { etag } from "./etag.ts";

isolate();

const page = (init?: ResponseInit): Ask => serve([etag()], () => Response.text("a page", init));

async function tagOf(ask: Ask, init?: RequestInit): Promise<string | null> {
  return (await ask("/", init)).headers.get("etag");
}

describe("a page", () => {
  test("has a weak tag that depends only on its content, and on the type and language of it", async () => {
    const tag = await tagOf(page());
    assert.match(tag ?? "", /^W\/"[\w-]+"$/);
    assert.equal(await tagOf(page({ headers: { "x-other": "1" } })), tag);
    assert.equal(await tagOf(page(), { method: "HEAD" }), tag);
    assert.notEqual(await tagOf(serve([etag()], () => Response.text("another page"))), tag);
    const bytes = (headers: Readonly<Record<string, string>>): Promise<string | null> =>
      tagOf(serve([etag()], () => Response.bytes(Buffer.from("a page"), { headers })));
    const type = "text/plain; charset=utf-8";
    assert.equal(await bytes({ "content-type": type }), tag);
    const german = { "content-type": type, "content-language": "de" };
    const tags = [
      tag,
      await bytes({}),
      await bytes(german),
      await tagOf(page({ headers: { "content-language": "en" } })),
    ];
    assert.equal(new Set(tags).size, tags.length);
    assert.equal(await tagOf(page({ headers: german })), await bytes(german));
  });

  test("is a 304 without content for a current copy, with all other headers", async () => {
    const ask = serve([etag()], () =>
      Response.text("a page", {
        headers: {
          "cache-control": "private",
          "set-cookie": "a=b",
          "content-language": "en",
          "content-encoding": "x",
          "content-range": "bytes 0-1/2",
          "last-modified": "Fri, 02 Jan 2026 03:04:05 GMT",
          vary: "cookie",
        },
      }),
    );
    const tag = (await tagOf(ask)) ?? "";
    for (const known of [tag, tag.slice(2), `"x", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await ask("/", { method, headers: { "if-none-match": known } });
        assert.equal(response.status, 304);
        assert.equal(await response.text(), "");
        assert.equal(response.headers.get("etag"), tag);
        assert.equal(response.headers.get("cache-control"), "private");
        assert.equal(response.headers.get("set-cookie"), "a=b");
        assert.equal(response.headers.get("vary"), "cookie");
        for (const name of ["type", "length", "language", "encoding", "range"]) {
          assert.equal(response.headers.get(`content-${name}`), null);
        }
        assert.equal(response.headers.get("last-modified"), null);
        assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      }
    }
  });

  test("is sent for another or malformed tag", async () => {
    for (const known of ['"other"', 'W/"other"', "nonsense", "", '"']) {
      const response = await page()("/", { headers: { "if-none-match": known } });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), "a page");
    }
  });

  test("keeps the tag of its handler, with any body", async () => {
    const ask = serve([etag()], () => Response.stream(["a", "b"], { headers: { etag: '"own"' } }));
    assert.equal(await tagOf(ask), '"own"');
    assert.equal((await ask("/", { headers: { "if-none-match": 'W/"own"' } })).status, 304);
  });
});

describe("no tag is given", () => {
  test("to `no-store` responses", async () => {
    for (const value of ["no-store", "private, No-Store", "no-store, max-age=0"]) {
      assert.equal(await tagOf(page({ headers: { "cache-control": value } })), null);
    }
    assert.notEqual(await tagOf(page({ headers: { "cache-control": "no-storey" } })), null);
  });

  test("to streams, empty responses and other statuses", async () => {
    for (const answer of [Response.stream(["a"]), Response.empty(200)]) {
      const response = await serve([etag()], () => answer)("/");
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("etag"), null);
    }
    for (const status of [201, 206, 400, 404, 500]) assert.equal(await tagOf(page({ status })), null);
  });

  test("to pages with a nonce, and no 304 either: the nonce of the cached page would differ", async () => {
    const ask = serve([etag()], (request) => Response.text(nonce(request), { headers: { etag: '"own"' } }));
    const response = await ask("/", { headers: { "if-none-match": '"own"' } });
    assert.equal(response.status, 200);
    assert.ok(response.headers.get("content-security-policy")?.includes(await response.text()));
  });

  test("to responses to other methods, and no 304 either", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await page()("/", { method, headers: { "if-none-match": "*" } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("etag"), null);
    }
  });
});
