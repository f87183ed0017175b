import assert from "node:assert/strict";
import { test } from "node:test";
import { Log } from "../../log/index.ts";
import { Response } from "../../http/message/response.ts";
import { isolate, serve } from "./fetch.test.ts";

const { entries } = isolate();

test("work after a response has finished when a caller without a socket gets the response", async () => {
  const events: string[] = [];
  const ask = serve([], (request) => {
    request.afterResponse(async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      events.push("first");
    });
    request.with({ path: "/other" }).afterResponse(() => events.push("second"));
    return Response.stream(["a", "b"]);
  });
  const response = await ask("/");
  assert.deepEqual(events.toSorted(), ["first", "second"]);
  assert.equal(await response.text(), "ab");
});

test("work that is registered after the response runs too, and by other work before the caller gets the response", async () => {
  const events: string[] = [];
  const late = Promise.withResolvers<void>();
  const ask = serve([], (request) => {
    request.afterResponse(async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      request.afterResponse(async () => {
        await new Promise((resolve) => void setImmediate(resolve));
        events.push("nested");
      });
    });
    async function* chunks(): AsyncGenerator<string> {
      yield "a";
      request.afterResponse(late.resolve);
    }
    return Response.stream(chunks());
  });
  const response = await ask("/");
  assert.deepEqual(events, ["nested"]);
  assert.equal(await response.text(), "a");
  await late.promise;
});

test("an error of work after a response is logged with the fields of the request, and changes no response", async () => {
  const ask = serve([], (request) =>
    Log.withFields({ user: "ada" }, () => {
      request.afterResponse(() => {
        throw new Error("too late");
      });
      request.afterResponse(() => Promise.reject(new Error("later")));
      if (request.path === "/broken") throw new Error("at once");
      return Response.text("sent");
    }),
  );
  const response = await ask("/");
  assert.equal(await response.text(), "sent");
  assert.deepEqual(
    entries.map(({ message, fields, error }) => [
      message,
      fields["request_id"],
      fields["user"],
      (error as Error).message,
    ]),
    ["too late", "later"].map((message) => [
      "The work after a response failed",
      response.headers.get("x-request-id"),
      "ada",
      message,
    ]),
  );
  assert.equal((await ask("/broken")).status, 500);
  assert.equal(entries.length, 5);
});
