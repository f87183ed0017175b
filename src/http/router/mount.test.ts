import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FetchHandler, fromFetch, mount } from "./mount.ts";
import { Request } from "../message/request.ts";
import { live } from "../server/live.test.ts";
import { choose, get, post } from "./route.ts";

const echo: FetchHandler = async (request) => {
  const { method, url, headers } = request;
  const { pathname, search } = new URL(url);
  const body = await request.text();
  return globalThis.Response.json(
    { method, path: pathname, query: search, one: headers.get("x-one"), body },
    { status: 201 },
  );
};

for (const isLive of [false, true]) {
  describe(`a Fetch API application, ${isLive ? "over a socket" : "without a socket"}`, () => {
    const asking = async (
      body: (ask: (path: string, init?: RequestInit) => Promise<unknown>) => Promise<void>,
    ): Promise<void> => {
      const router = choose([
        mount("/app/v1", echo),
        get("/full/:id", fromFetch(echo)),
        post("/full/:id", fromFetch(echo)),
      ]);
      await using server = await live({ router });
      await body(async (path, init) => {
        const response = isLive
          ? await fetch(`http://127.0.0.1:${server.port}${path}`, init)
          : await server.http.fetch(new globalThis.Request(`http://localhost${path}`, init));
        return response.status === 201 ? await response.json() : response.status;
      });
    };

    test("is mounted below a path, and receives the rest of it", () =>
      asking(async (ask) => {
        const sees = { method: "GET", query: "", one: null, body: "" };
        assert.deepEqual(await ask("/app/v1/a/b?c=d%20e"), { ...sees, path: "/a/b", query: "?c=d%20e" });
        assert.deepEqual(await ask("/app/v1"), { ...sees, path: "/" });
        assert.deepEqual(await ask("/app/v1/"), { ...sees, path: "/" });
        assert.equal(await ask("/app"), 404);
      }));

    test("gets method, headers and body", () =>
      asking(async (ask) => {
        const init = { method: "PUT", body: "hello", headers: { "x-one": "1" } };
        assert.deepEqual(await ask("/app/v1/a", init), {
          method: "PUT",
          path: "/a",
          query: "",
          one: "1",
          body: "hello",
        });
      }));

    test("gets the canonical path, encoded again", () =>
      asking(async (ask) => {
        assert.deepEqual(((await ask("/%61pp/v1/%61%20b%3F%E6%97%A5")) as { path: string }).path, "/a%20b%3F%E6%97%A5");
        assert.equal(await ask("/app/v1/a%2fb"), 400);
      }));

    test("can be a single handler that receives the whole path", () =>
      asking(async (ask) => {
        assert.deepEqual(((await ask("/full/7")) as { path: string }).path, "/full/7");
      }));

    test("respects the limit of the body", () =>
      asking(async (ask) => {
        assert.equal(await ask("/full/7", { method: "POST", body: "a".repeat(1024 * 1024 + 1) }), 413);
      }));
  });
}

test("a Fetch API application gets no headers of the connection, and no body for HEAD", async () => {
  let received: globalThis.Request | undefined;
  const handler = fromFetch((request) => {
    received = request;
    return new globalThis.Response(null, { status: 204 });
  });
  const names = ["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"];
  for (const name of [...names, "x-one"]) {
    const asked = new globalThis.Request("http://localhost/", { method: "HEAD", headers: { [name]: "1" } });
    assert.equal((await handler(Request.from(asked))).status, 204);
    assert.equal(received?.headers.get(name), name === "x-one" ? "1" : null, name);
    assert.equal(received?.body, null);
  }
});
