import assert from "node:assert/strict";
import { test } from "node:test";
import { isolate, serve } from "../../web/application/fetch.test.ts";
import { Response } from "../message/response.ts";
import { negotiate } from "./negotiate.ts";

isolate();

const ask = serve([], (request) =>
  negotiate(request, {
    "text/csv": () => Response.text("a,b", { headers: { vary: "cookie" } }),
    "application/json": () => new globalThis.Response("{}"),
    "text/plain": () => {
      throw new Error("broken");
    },
  }),
);

/** Returns status, `Vary` and body of the response to an `Accept` header. */
async function answerTo(accept: string): Promise<readonly unknown[]> {
  const response = await ask("/", { headers: { accept } });
  return [response.status, response.headers.get("vary"), await response.text()];
}

test("a request is answered in the preferred format, with Vary", async () => {
  assert.deepEqual(await answerTo("*/*"), [200, "cookie, accept", "a,b"]);
  assert.deepEqual(await answerTo("application/json, text/csv;q=0.9"), [200, "accept", "{}"]);
});

test("a request that accepts no format is answered with 406, also for the name of a property of objects", async () => {
  for (const accept of ["image/png", "toString"]) {
    const [status, vary, body] = await answerTo(accept);
    assert.deepEqual([status, vary], [406, "accept"]);
    assert.match(String(body), /text\/csv, application\/json, text\/plain/);
  }
});

test("an error of a format has Vary as well", async () => {
  assert.deepEqual((await answerTo("text/plain")).slice(0, 2), [500, "accept"]);
});
