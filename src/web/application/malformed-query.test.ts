import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Response } from "../../http/message/index.ts";
import { choose, get, post } from "../../http/router/route.ts";
import { preferJson } from "../middleware/json.ts";
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

  test("elsewhere is answered with a page, unless the client asks for JSON", async () => {
    for (const path of ["/page?a=%zz", "/nothing?a=%zz", "/api/items/%zz?a=%zz", "/api/items/%zz"]) {
      assert.equal(await typeOf(path), page, path);
      assert.equal(await typeOf(path, { headers: { accept: "application/json" } }), problem, path);
    }
  });
});
