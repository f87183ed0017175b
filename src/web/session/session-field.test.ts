import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Schema } from "../../schema/index.ts";
import { Browser, isolate, serve } from "../application/fetch.test.ts";
import { Response } from "../../http/message/response.ts";
import { session } from "../middleware/session.ts";
import * as Session from "./session.ts";

isolate();

/** Reads the field of a session that holds a text. */
async function findIn<T>(text: string, schema: StandardSchemaV1<unknown, T>): Promise<unknown> {
  const cart = Session.field("cart", schema);
  let value: unknown;
  const browser = new Browser(
    serve([session()], (request) => {
      if (request.path === "/set") return Session.set([["cart", text]], Response.text(""));
      try {
        value = cart.find(request);
      } catch (error) {
        value = error;
      }
      return Response.text("");
    }),
  );
  await browser.get("/set");
  await browser.get("/");
  return value;
}

describe("a field of the session", () => {
  test("is read by its schema", async () => {
    const schema = Schema.list(Schema.string());
    assert.deepEqual(await findIn(Session.field("cart", schema).pair(["a"])[1] ?? "", schema), ["a"]);
    for (const text of ["[1]", "[", ""]) assert.equal(await findIn(text, schema), undefined, text);
  });

  test("refuses an asynchronous schema, also one that fails", async () => {
    for (const validate of [async () => ({ value: "" }), () => Promise.reject(new Error("unobserved"))]) {
      const schema: StandardSchemaV1<unknown, string> = { "~standard": { version: 1, vendor: "other", validate } };
      assert.equal(((await findIn('"a"', schema)) as { readonly code?: unknown }).code, "E_SESSION_SCHEMA");
    }
  });
});
