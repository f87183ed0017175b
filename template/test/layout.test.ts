import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "limmat/testing";
import { app } from "../run/run.ts";

test("the layout is in order", async () => {
  const { code, stdout } = await run(app, "check.layout");
  assert.deepEqual([stdout, code], ["The layout is in order.", 0]);
});
