import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Handler } from "./handler.ts";
import { Request } from "../message/request.ts";
import { Response, toResponse } from "../message/response.ts";
import { compile } from "./compile.ts";
import { choose, get, post, type Router } from "./route.ts";

/** Returns the name and parameters of the matched route, or the status. */
type Asking = (host: string, path: string) => Promise<unknown>;

function site(...routers: Router[]): Asking {
  const { handle: handler } = compile(choose(routers), {
    notFound: () => Response.text("nothing", { status: 404 }),
    methodNotAllowed: () => Response.text("not so", { status: 405 }),
  });
  return async (host, path) => {
    const request = new globalThis.Request(`http://localhost${path}`, { headers: { host } });
    const response = toResponse(await handler(Request.from(request)));
    return response.status === 200 ? response.body : response.status;
  };
}

const named =
  (name: string): Handler =>
  (request) =>
    Response.text([name, ...Object.entries(request.params).flat()].join(" "));

const on = (host: string, name: string): Router => choose([get("/a/:id", named(name))], { host });

describe("the routes of a host", () => {
  test("match that host in any letter case, and no other", async () => {
    const ask = site(on("API.example.com", "api"));
    for (const host of ["api.example.com", "Api.Example.COM", "api.example.com:8080", "api.example.com:"])
      assert.equal(await ask(host, "/a/1"), "api id 1", host);
    for (const host of ["api.example.com.", "api.example.com.:8080"])
      assert.equal(await ask(host, "/a/1"), "api id 1", host);
    for (const host of [
      "example.com",
      "x.api.example.com",
      "api.example.com.evil.org",
      "api.example.com:x",
      "api.example",
    ])
      assert.equal(await ask(host, "/a/1"), 404, host);
  });

  test("match all names below a wildcard", async () => {
    const ask = site(on("*.example.com", "below"));
    for (const host of ["www.example.com", "a.b.example.com", "WWW.example.com.:80"])
      assert.equal(await ask(host, "/a/1"), "below id 1", host);
    for (const host of ["example.com", "badexample.com", "www.example.com.evil.org", "www.example.org"])
      assert.equal(await ask(host, "/a/1"), 404, host);
  });

  test("have precedence by the length of the host, whatever the order", async () => {
    const routers = [
      get("/a/:all", named("all")),
      on("*.example.com", "below"),
      on("*.deep.example.com", "deep"),
      on("www.deep.example.com", "own"),
    ];
    for (const order of [routers, routers.toReversed()]) {
      const ask = site(...order);
      assert.equal(await ask("www.deep.example.com", "/a/1"), "own id 1");
      assert.equal(await ask("x.deep.example.com", "/a/1"), "deep id 1");
      assert.equal(await ask("x.example.com", "/a/1"), "below id 1");
      assert.equal(await ask("localhost", "/a/1"), "all all 1");
    }
  });

  test("fall back to the next host for a path that they lack", async () => {
    const ask = site(
      get("/:all", named("all")),
      choose([get("/b", named("below"))], { host: "*.example.com" }),
      on("www.example.com", "own"),
    );
    assert.equal(await ask("www.example.com", "/b"), "below");
    assert.equal(await ask("www.example.com", "/c"), "all all c");
    assert.equal(await ask("www.example.com", "/c/d"), 404);
  });

  test("fall back to the next host for a method that they lack", async () => {
    const ask = site(get("/a/:id", named("all")), choose([post("/a/:id", named("below"))], { host: "*.example.com" }));
    assert.equal(await ask("www.example.com", "/a/1"), "all id 1");
    assert.equal(await ask("localhost", "/a/1"), "all id 1");
  });

  test("can be declared in several places, and conflict as others do", async () => {
    for (const host of ["www.example.com", "*.example.com"]) {
      const ask = site(on(host, "one"), choose([get("/b", named("other"))], { host }));
      assert.equal(await ask("www.example.com", "/a/1"), "one id 1");
      assert.equal(await ask("www.example.com", "/b"), "other");
      assert.throws(() => site(on(host, "one"), on(host, "other")), { code: "E_ROUTE_TAKEN" });
    }
    const ask = site(on("*.example.com", "com"), on("*.example.org", "org"), on("x.net", "net"), on("y.net", "why"));
    for (const [host, name] of [
      ["a.example.com", "com"],
      ["a.example.org", "org"],
      ["x.net", "net"],
      ["y.net", "why"],
    ] as const)
      assert.equal(await ask(host, "/a/1"), `${name} id 1`);
  });

  test("keep the host of an inner scope", async () => {
    const ask = site(choose([on("in.example.com", "inner"), get("/b", named("outer"))], { host: "out.example.com" }));
    assert.equal(await ask("in.example.com", "/a/1"), "inner id 1");
    assert.equal(await ask("out.example.com", "/a/1"), 404);
    assert.equal(await ask("out.example.com", "/b"), "outer");
    assert.equal(await ask("in.example.com", "/b"), 404);
  });

  test("are refused for an invalid host", () => {
    for (const host of [
      "",
      "*",
      "*.",
      "a b",
      "example.com:80",
      "http://example.com",
      "x*.example.com",
      "*.*.com",
      "ü.de",
    ])
      assert.throws(() => on(host, "x"), { code: "E_ROUTE_PATH", message: /is not a host/ }, host);
  });
});
