import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "limmat/testing";
import { app } from "../run/run.ts";

test("imports follow the layout rules", async () => {
  const { code, stdout } = await runCommand(app, "check.layout");
  assert.deepEqual([stdout, code], ["The imports follow the layout rules.", 0]);
});
