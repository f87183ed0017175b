import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import { choose, get, post } from "../../http/router/route.ts";
import { cors, type CorsOptions } from "./cors.ts";

isolate();

type Headers = Record<string, string>;
const friend = "https://friend.example";

function ask(options: CorsOptions): (method: string, headers?: Headers, path?: string) => Promise<globalThis.Response> {
  const router = choose(
    [
      get("/", () => Response.text("page", { headers: { vary: "accept" } })),
      post("/", () => Response.text("posted")),
      get("/broken", () => Promise.reject(new Error("broken"))),
    ],
    { middlewares: [cors(options)] },
  );
  const { fetch } = service({ router });
  return (method, headers = {}, path = "/") =>
    fetch(new globalThis.Request(`http://localhost${path}`, { method, headers }));
}

const allowOf = (response: globalThis.Response): string | null => response.headers.get("access-control-allow-origin");
const preflight = { "access-control-request-method": "PUT" };

describe("a page of a listed origin", () => {
  test("may read the response", async () => {
    const response = await ask({ origins: [friend] })("GET", { origin: friend });
    assert.equal(allowOf(response), friend);
    assert.equal(response.headers.get("vary"), "accept, origin");
    assert.equal(response.headers.get("access-control-expose-headers"), "x-request-id");
    assert.equal(response.headers.get("access-control-allow-credentials"), null);
    assert.equal(await response.text(), "page");
  });

  test("may read errors, too", async () => {
    const response = await ask({ origins: [friend] })("GET", { origin: friend }, "/broken");
    assert.equal(response.status, 500);
    assert.equal(allowOf(response), friend);
    assert.match(response.headers.get("vary") ?? "", /origin/);
  });

  test("gets the allowed methods and headers, and how long to cache them", async () => {
    const options = {
      origins: [friend],
      credentials: true,
      methods: ["GET", "PUT"],
      allowedHeaders: ["x-a", "x-b"],
      maxAgeMs: 60_000,
    };
    const response = await ask(options)("OPTIONS", { origin: friend, ...preflight });
    assert.equal(response.status, 204);
    assert.equal(allowOf(response), friend);
    assert.equal(response.headers.get("access-control-allow-credentials"), "true");
    assert.equal(response.headers.get("access-control-allow-methods"), "GET, PUT");
    assert.equal(response.headers.get("access-control-allow-headers"), "x-a, x-b");
    assert.equal(response.headers.get("access-control-max-age"), "60");
    assert.equal(response.headers.get("vary"), "origin");
  });

  test("may use the default methods and headers for ten minutes by default", async () => {
    const { headers } = await ask({ origins: [friend] })("OPTIONS", { origin: friend, ...preflight });
    assert.equal(headers.get("access-control-allow-methods"), "GET, HEAD, QUERY, POST, PUT, PATCH, DELETE");
    assert.equal(headers.get("access-control-allow-headers"), "content-type, authorization");
    assert.equal(headers.get("access-control-max-age"), "600");
    assert.equal(headers.get("access-control-allow-credentials"), null);
    const other = await ask({ origins: [friend], maxAgeMs: 1999, exposedHeaders: [] })("OPTIONS", {
      origin: friend,
      ...preflight,
    });
    assert.equal(other.headers.get("access-control-max-age"), "1");
  });

  test("may read the headers that are listed, and only these", async () => {
    const exposed = async (responseHeaders: readonly string[]): Promise<string | null> => {
      const { headers } = await ask({ origins: [friend], exposedHeaders: responseHeaders })("GET", { origin: friend });
      return headers.get("access-control-expose-headers");
    };
    assert.equal(await exposed(["x-a", "x-b"]), "x-a, x-b");
    assert.equal(await exposed([]), null);
  });

  test("may send credentials only if that is allowed", async () => {
    const response = await ask({ origins: [friend], credentials: true })("GET", { origin: friend });
    assert.equal(response.headers.get("access-control-allow-credentials"), "true");
  });
});

describe("a page of any other origin", () => {
  const others = [
    "https://attacker.example",
    "https://friend.example.attacker.example",
    "https://attackerfriend.example",
    "http://friend.example",
    "https://friend.example:8443",
    "https://FRIEND.example",
    "https://sub.friend.example",
    "null",
    "",
    "*",
    `${friend}, https://attacker.example`,
  ];
  for (const origin of others) {
    test(`${JSON.stringify(origin)} may read nothing`, async () => {
      for (const response of [
        await ask({ origins: [friend] })("GET", { origin }),
        await ask({ origins: [friend] })("OPTIONS", { origin, ...preflight }),
        await ask({ origins: [friend] })("GET", { origin }, "/broken"),
      ]) {
        assert.deepEqual(
          [...response.headers.keys()].filter((name) => name.startsWith("access-control")),
          [],
        );
        assert.match(response.headers.get("vary") ?? "", /origin/);
      }
    });
  }
});

describe("pages of all origins", () => {
  test("may read the response, without credentials", async () => {
    const response = await ask({ origins: "*" })("GET", { origin: "https://anyone.example" });
    assert.equal(allowOf(response), "*");
    assert.equal(response.headers.get("vary"), "accept");
    assert.throws(
      () => cors({ origins: "*", credentials: true }),
      (error) => isError(error, "E_CORS_CREDENTIALS"),
    );
  });

  test("may read errors, which are the same for all of them", async () => {
    const response = await ask({ origins: "*" })("GET", { origin: "https://anyone.example" }, "/broken");
    assert.deepEqual([response.status, allowOf(response)], [500, "*"]);
    assert.doesNotMatch(response.headers.get("vary") ?? "", /origin/);
  });
});

describe("an OPTIONS request that is not a preflight", () => {
  test("is answered by the routes", async () => {
    const response = await ask({ origins: [friend] })("OPTIONS", { origin: friend });
    assert.equal(response.headers.get("allow"), "GET, HEAD, POST, OPTIONS");
    assert.equal(allowOf(response), friend);
  });
});

test("an invalid origin is refused when the middleware is created", () => {
  for (const origin of ["*", "friend.example", "https://friend.example/", "null"]) {
    assert.throws(
      () => cors({ origins: [origin] }),
      (error) => isError(error, "E_ORIGIN_INVALID"),
    );
  }
});
