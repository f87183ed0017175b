import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Response } from "../../http/message/index.ts";
import { choose, get, post } from "../../http/router/route.ts";
import { preferJson } from "../middleware/json.ts";
import { requestLimit } from "../middleware/request-limit.ts";
import { isolate } from "./fetch.test.ts";
import { service } from "./service.ts";

isolate();

let calls = 0;
const handler = (): Response => {
  calls += 1;
  return Response.text("Fine");
};
const { fetch } = service({
  router: choose([
    get("/page", handler),
    choose([get("/items/:id", handler), post("/items", handler)], { scope: "/api", middlewares: [preferJson()] }),
  ]),
});
const typeOf = async (path: string, init?: RequestInit): Promise<string> => {
  const response = await fetch(new globalThis.Request(`http://localhost${path}`, init));
  assert.equal(response.status, 400, path);
  const type = response.headers.get("content-type") ?? "";
  if (type === "application/problem+json") {
    const { code, requestId } = (await response.json()) as { code: string; requestId: string };
    assert.deepEqual([code, requestId], ["E_TARGET_MALFORMED", response.headers.get("x-request-id")]);
  }
  return type;
};
const problem = "application/problem+json";
const page = "text/html; charset=utf-8";

describe("a malformed query", () => {
  test("of a JSON API is answered with a problem document, as its other errors are", async () => {
    assert.equal(await typeOf("/api/items/1?a=%zz"), problem);
    assert.equal(await typeOf("/api/items/a%20b/?%"), problem);
    assert.equal(await typeOf("/api/items?a=%zz", { method: "POST" }), problem);
    // A method that the path does not have.
    assert.equal(await typeOf("/api/items/1?a=%zz", { method: "DELETE" }), problem);
    assert.equal(await typeOf("/api/items/1?a=%zz", { headers: { accept: "text/html" } }), page);
    assert.equal(calls, 0);
  });

  test("is refused like other requests that have no route yet", async () => {
    const tooMany = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, "1"]));
    const refused: readonly (readonly [status: number, init: RequestInit])[] = [
      [431, { headers: tooMany }],
      [417, { method: "POST", headers: { expect: "a miracle" } }],
      [400, { headers: { host: "elsewhere.example" } }],
    ];
    for (const [status, init] of refused) {
      for (const [path, type] of [
        ["/api/items/1", problem],
        ["/page", page],
      ] as const) {
        const response = await fetch(new globalThis.Request(`http://localhost${path}`, init));
        assert.deepEqual([response.status, response.headers.get("content-type")], [status, type], path);
      }
    }
    assert.equal(calls, 0);
  });

  test("is refused like a request that a middleware of the application refuses", async () => {
    const router = choose([get("/page", handler), get("/api", handler, { middlewares: [preferJson()] })]);
    const closed = service({ router, middlewares: [requestLimit({ limit: 1, periodMs: 60_000, key: () => "all" })] });
    const ask = async (path: string): Promise<readonly unknown[]> => {
      const response = await closed.fetch(new globalThis.Request(`http://localhost${path}`));
      return [response.status, response.headers.get("content-type")];
    };
    assert.equal((await ask("/page"))[0], 200);
    assert.deepEqual(
      [await ask("/page"), await ask("/api")],
      [
        [429, page],
        [429, problem],
      ],
    );
  });

  test("elsewhere is answered with a page, unless the client asks for JSON", async () => {
    for (const path of ["/page?a=%zz", "/nothing?a=%zz", "/api/items/%zz?a=%zz", "/api/items/%zz"]) {
      assert.equal(await typeOf(path), page, path);
      assert.equal(await typeOf(path, { headers: { accept: "application/json" } }), problem, path);
    }
  });
});
