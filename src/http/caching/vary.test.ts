import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Response } from "../message/response.ts";
import { withVary } from "./content-coding.ts";

describe("the Vary header", () => {
  for (const [given, then] of [
    [undefined, "origin"],
    ["accept", "accept, origin"],
    ["accept, cookie", "accept, cookie, origin"],
    ["origin", "origin"],
    ["accept,Origin ", "accept,Origin "],
    ["*", "*"],
    ["x-origin", "x-origin, origin"],
  ] as const) {
    test(`is ${then} after it was ${given ?? "nothing"}`, () => {
      const response = Response.text("", given === undefined ? {} : { headers: { vary: given } });
      assert.equal(withVary(response, "origin").header("vary"), then);
    });
  }
});
