import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { catchError, compose, type Handler, type HandlerResult, mapResponse, type Middleware } from "./handler.ts";

const request = Request.from(new globalThis.Request("http://localhost/"));

/** Promise of another library. */
const thenable = <T>(value: T): Promise<T> =>
  ({
    // oxlint-disable-next-line unicorn/no-thenable
    then: (resolve: (result: T) => void) => resolve(value),
  }) as unknown as Promise<T>;

/** Results of a handler whose response has the body `1`. */
const results: Readonly<Record<string, () => HandlerResult | Promise<HandlerResult>>> = {
  "a response": () => Response.text("1"),
  "a Fetch API response": () => new globalThis.Response("1"),
  "a promise": () => Promise.resolve(Response.text("1")),
  "a promise of a Fetch API response": () => Promise.resolve(new globalThis.Response("1")),
  "a promise of another library": () => thenable(Response.text("1")),
  "a Fetch API response of another library's promise": () => thenable(new globalThis.Response("1")),
};

describe("the response of a handler", () => {
  const mark = (response: Response): Response => response.withHeader("x-mark", "1");

  for (const [name, result] of Object.entries(results))
    test(`is mapped: ${name}`, async () => {
      const mapped = mapResponse(result(), mark);
      assert.equal(mapped instanceof Promise, name.includes("promise"));
      const response = await mapped;
      assert.ok(response instanceof Response);
      assert.equal(response.header("x-mark"), "1");
    });

  test("is an error if it is none", async () => {
    assert.throws(() => mapResponse(undefined as never, mark), { code: "E_RESPONSE_MISSING" });
    await assert.rejects(Promise.resolve(mapResponse(Promise.resolve("text" as never), mark)), {
      code: "E_RESPONSE_MISSING",
    });
  });
});

describe("an error of a handler", () => {
  const cause = new Error("cause");
  const recover = (error: unknown, failed: Request): HandlerResult => {
    assert.deepEqual([error, failed], [cause, request]);
    return Response.empty(503);
  };

  test("that is thrown is converted at once, and a rejection later", async () => {
    const thrown = catchError(() => assert.fail(cause), request, recover);
    assert.equal((thrown as Response).status, 503);
    const rejected = catchError(() => Promise.reject(cause), request, recover);
    assert.equal((await rejected).status, 503);
  });

  for (const [name, result] of Object.entries(results))
    test(`does not concern ${name}`, async () => {
      const returned = catchError(result, request, recover);
      assert.equal(returned instanceof Promise, name.includes("promise"));
      assert.equal((await returned).status, 200);
    });
});

test("middlewares wrap a handler, the first outermost, each once", async () => {
  const names: string[] = [];
  const named =
    (name: string): Middleware =>
    (handler) =>
    (asked) => {
      names.push(name);
      return handler(asked);
    };
  const [one, two] = [named("one"), named("two")];
  const handler: Handler = () => Response.empty();
  assert.equal((await compose([one, two, one], handler)(request)).status, 204);
  assert.deepEqual(names, ["one", "two"]);
});
