import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate, serve } from "../application/fetch.test.ts";
import { type HttpDefinition, service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import type { Handler, Middleware } from "../../http/router/handler.ts";
import { choose, del, post as postRoute, put, reserve } from "../../http/router/route.ts";
import { csrf } from "./csrf.ts";
import { methodOverride } from "./method-override.ts";
import { session } from "./session.ts";

isolate([["CHECK_CSRF", "true"]]);

const ask = serve([methodOverride()], async (request) => {
  const isForm = request.header("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
  return Response.json([request.method, isForm ? await request.form() : await request.text()]);
});

async function post(body: string, headers: Record<string, string> = {}, path = "/", method = "POST"): Promise<unknown> {
  const type = { "content-type": "application/x-www-form-urlencoded", ...headers };
  const response = await ask(path, { method, body, headers: type });
  return response.status === 200 ? ((await response.json()) as unknown[])[0] : response.status;
}

describe("the method of a form", () => {
  for (const method of ["put", "PUT", "Put", "patch", "PATCH", "delete", "DELETE", "dElEtE"]) {
    test(`is ${method} if its field names it`, async () => {
      assert.equal(await post(`_method=${method}&a=b`), method.toUpperCase());
    });
  }

  test("is POST without the field", async () => {
    assert.equal(await post("a=b"), "POST");
    assert.equal(await post(""), "POST");
    assert.equal(await post("_Method=put&method=put&_method[]=put"), "POST");
  });

  const wrong = [
    "",
    "get",
    "POST",
    "head",
    "options",
    "query",
    "trace",
    "connect",
    "put ",
    " put",
    "putt",
    "put,delete",
    "put\0",
    "ＰＵＴ",
    "__proto__",
  ];
  for (const method of wrong) {
    test(`is refused if the field is ${JSON.stringify(method)}`, async () => {
      assert.equal(await post(`_method=${encodeURIComponent(method)}`), 400);
    });
  }

  test("is refused if the field is given twice, also with the same method", async () => {
    assert.equal(await post("_method=put&_method=put"), 400);
    assert.equal(await post("_method=put&a=b&_method="), 400);
  });

  test("is read with any letter case of the media type and charset", async () => {
    assert.equal(
      await post("_method=put", { "content-type": "Application/X-WWW-Form-URLEncoded; charset=utf-8" }),
      "PUT",
    );
  });

  test("leaves the form to the handler", async () => {
    const init = { method: "POST", body: new URLSearchParams({ _method: "put", title: "é" }) };
    assert.deepEqual(await (await ask("/", init)).json(), [
      "PUT",
      [
        ["_method", "put"],
        ["title", "é"],
      ],
    ]);
  });
});

describe("the method of any other request", () => {
  test("is changed by no header and no query", async () => {
    const names = ["x-http-method-override", "x-http-method", "x-method-override", "_method"];
    for (const name of names) assert.equal(await post("a=b", { [name]: "DELETE" }), "POST");
    assert.equal(await post("a=b", {}, "/?_method=delete"), "POST");
    assert.equal(((await (await ask("/?_method=delete")).json()) as unknown[])[0], "GET");
  });

  test("is not changed by a field when it is not POST", async () => {
    for (const method of ["PUT", "PATCH", "DELETE"])
      assert.equal(await post("_method=delete", {}, "/", method), method);
  });

  test("is not changed by another type of body, which is not read either", async () => {
    for (const type of ["text/plain", "application/json", "multipart/form-data; boundary=x"]) {
      assert.equal(await post("_method=delete", { "content-type": type }), "POST");
    }
    const untouched = serve([methodOverride()], () => Response.text("ok"));
    const body = new ReadableStream({ pull: () => assert.fail("the body was read") }, { highWaterMark: 0 });
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { "content-type": "application/json" },
    } as RequestInit;
    assert.equal((await untouched("/", init)).status, 200);
  });
});

describe("a form with files", () => {
  const send = async (
    ...fields: readonly (readonly [string, string | Blob])[]
  ): Promise<readonly [number, unknown]> => {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    const app = serve([methodOverride()], async (request) => {
      const size = (await request.bytes()).length;
      return Response.json([request.method, size > 100]);
    });
    const response = await app("/", { method: "POST", body });
    return [response.status, response.status === 200 ? await response.json() : undefined];
  };
  const file = new File(["x".repeat(500_000)], "a.txt");

  test("overrides the method by a field before its first file, and keeps its body", async () => {
    assert.deepEqual(await send(["_method", "put"], ["f", file]), [200, ["PUT", true]]);
    assert.deepEqual(await send(["a", "1"], ["_method", "Delete"]), [200, ["DELETE", true]]);
    assert.deepEqual(await send(["f", file], ["_method", "put"]), [200, ["POST", true]]);
    assert.deepEqual(await send(["a", "1"]), [200, ["POST", true]]);
  });

  test("is refused with another method, or with two", async () => {
    assert.deepEqual(await send(["_method", "get"], ["f", file]), [400, undefined]);
    assert.deepEqual(await send(["_method", "put"], ["_method", "put"]), [400, undefined]);
    assert.deepEqual(await send(["_method", file], ["a", "1"]), [200, ["POST", true]]);
  });

  test("that is malformed is left to the handler", async () => {
    const app = serve([methodOverride()], async (request) => Response.text(await request.text()));
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=x"]) {
      const body = '--x\nContent-Disposition: form-data; name="_method"\n\nput\n--x--';
      const response = await app("/", { method: "POST", body, headers: { "content-type": type } });
      assert.deepEqual([response.status, await response.text()], [200, body]);
    }
  });
});

describe("a form that cannot reach another route", () => {
  const reached: Handler = ({ method }) => Response.text(method);
  const site = [session(), csrf({ trustedOrigins: ["https://pay.example.com"] })];

  /** Sends an urlencoded form and a multipart form that fail when they are read, and returns the answer to both. */
  const unread = async (
    definition: HttpDefinition,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const { fetch } = service(definition);
    const send = async (type: string): Promise<unknown> => {
      const body = new ReadableStream({ pull: () => assert.fail("the body was read") }, { highWaterMark: 0 });
      const init = { method: "POST", body, duplex: "half", headers: { ...headers, "content-type": type } };
      const response = await fetch(new globalThis.Request(new URL(path, "http://localhost"), init as RequestInit));
      return response.status === 200 ? await response.text() : response.status;
    };
    const urlencoded = await send("application/x-www-form-urlencoded");
    assert.equal(await send("multipart/form-data; boundary=x"), urlencoded);
    return urlencoded;
  };
  const router = choose([
    choose(
      [put("/things/:id", reached), del("/things/:id", reached), postRoute("/both", reached), put("/both", reached)],
      {
        middlewares: site,
      },
    ),
    postRoute("/login", reached),
    postRoute("/mixed", reached),
    put("/mixed", reached, { middlewares: site }),
    reserve(["PUT", "DELETE"], "/things/new"),
  ]);

  test("is not read if its path has no route for PUT, PATCH or DELETE", async () => {
    assert.equal(await unread({ router }, "/login"), "POST");
    assert.equal(await unread({ router }, "/nowhere"), 404);
    assert.equal(await unread({ router }, "/things/new"), 404);
  });

  test("is refused unread if it has no cookie, and so no session", async () => {
    assert.equal(await unread({ router }, "/things/1"), 403);
    assert.equal(await unread({ router }, "/both"), 403);
    const everywhere = { router: put("/a", reached), middlewares: site };
    assert.equal(await unread(everywhere, "/a"), 403);
  });

  test("is refused unread if another site sent it", async () => {
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      for (const path of ["/things/1", "/both"])
        assert.equal(await unread({ router }, path, { ...headers, cookie: "a=b" }), 403);
    }
  });

  test("goes on as POST if the route for POST needs no token", async () => {
    assert.equal(await unread({ router }, "/mixed"), "POST");
  });

  const override = async (
    definition: HttpDefinition,
    path: string,
    method: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const init = { method: "POST", body: new URLSearchParams({ _method: method }), headers };
    const response = await service(definition).fetch(new globalThis.Request(new URL(path, "http://localhost"), init));
    return response.status === 200 ? await response.text() : response.status;
  };

  test("is none that a trusted origin sent, or that reaches a route without the check", async () => {
    const trusted = { origin: "https://pay.example.com", cookie: "a=b" };
    assert.equal(await override({ router }, "/things/1", "get", trusted), 400);
    const half = choose([put("/a", reached), del("/a", reached, { middlewares: site })]);
    assert.equal(await override({ router: half }, "/a", "put"), "PUT");
    assert.equal(await override({ router: half }, "/a", "delete"), 403);
  });

  test("is found behind a middleware that changes the path", async () => {
    const german: Middleware = (handler) => (request) => handler(request.with({ path: request.path.slice(3) }));
    const definition = { router: put("/a", reached), middlewares: [german, methodOverride()] };
    assert.equal(await override(definition, "/de/a", "put"), "PUT");
  });
});

describe("a malformed form", () => {
  test("is refused like everywhere else", async () => {
    assert.equal(await post("_method=%zz"), 400);
    assert.equal(await post("_method=%ff"), 400);
    assert.equal(await post("a".repeat(2 ** 20 + 1)), 413);
    assert.equal(await post("a=b&".repeat(1001)), 400);
    assert.equal(await post("a=b", { "content-encoding": "gzip" }), 415);
  });
});
