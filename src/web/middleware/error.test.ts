import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate, serve } from "../application/fetch.test.ts";
import { errors } from "../errors.ts";
import type { Handler } from "../../http/router/handler.ts";
import { Response } from "../../http/message/response.ts";
import { error, type ErrorReport } from "./error.ts";

const log = isolate();
const failing =
  (thrown: unknown): Handler =>
  () => {
    throw thrown;
  };
const lines = (): readonly unknown[] => log.entries.map(({ level, message }) => [level, message]);

describe("an error", () => {
  test("is logged once with its stack, and becomes a page without details", async () => {
    const response = await serve([error()], failing(new Error("the password is 1234")))("/page?token=abc");
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /1234|password/);
    assert.deepEqual(lines(), [["error", "The request failed"]]);
    const { fields, error: thrown } = log.entries[0] ?? assert.fail();
    assert.equal((thrown as Error).message, "the password is 1234");
    assert.equal(fields["path"], "/page");
    assert.doesNotMatch(JSON.stringify(fields), /token=abc/);
  });

  test("is logged once, however many error middlewares there are", async () => {
    for (const thrown of [new Error("x"), "a text", undefined, null, 0]) {
      log.entries.length = 0;
      const response = await serve([error(), error({ reporters: [] }), error({})], failing(thrown))("/");
      assert.equal(response.status, 500);
      assert.equal(log.entries.length, 1);
    }
  });

  test("is handled equally if it is thrown synchronously or later", async () => {
    const later = serve([error()], async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    assert.equal((await later("/")).status, 500);
    assert.deepEqual(lines(), [["error", "The request failed"]]);
  });

  test("of the client is not reported, and logged at level debug", async () => {
    const reports: ErrorReport[] = [];
    const middleware = error({ reporters: [(report) => void reports.push(report)] });
    const response = await serve([middleware], failing(errors.E_CSRF()))("/");
    assert.equal(response.status, 403);
    assert.deepEqual(reports, []);
    assert.ok(log.entries.every(({ level }) => level === "debug"));
  });
});

describe("an error reporter", () => {
  test("receives the error and its request, and no private data", async () => {
    const reports: ErrorReport[] = [];
    const thrown = new Error("x");
    const ask = serve([error({ reporters: [(report) => void reports.push(report)] })], failing(thrown));
    await ask("/page?secret=1", { method: "DELETE", headers: { "x-request-id": "id-1" } });
    assert.deepEqual(reports, [{ error: thrown, requestId: "id-1", method: "DELETE", path: "/page" }]);
  });

  test("that fails or never ends affects neither the response nor other reporters", async () => {
    let told = 0;
    const reporters = [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(new Error("later")),
      () => new Promise<void>(() => {}),
      () => void told++,
    ];
    const response = await serve([error({ reporters })], failing(new Error("x")))("/");
    assert.equal(response.status, 500);
    assert.equal(told, 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(log.entries.filter(({ message }) => message === "An error reporter failed").length, 2);
  });
});

test("a thrown value that is not an error passes unchanged", async () => {
  const response = await serve([error()], () => Response.text("fine", { status: 418 }))("/");
  assert.equal(response.status, 418);
  assert.equal(log.entries.length, 0);
});
