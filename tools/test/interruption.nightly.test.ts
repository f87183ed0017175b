// Five seconds after an interruption of `npm test`, none of its processes is left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { interruptions, startEndlessTest } from "./interruption.ts";
import { runnerProcesses } from "./runner-process.ts";

const skip = process.platform !== "linux" && "needs /proc";
for (const [name, interrupt] of Object.entries(interruptions)) {
  test(`${name} ends all processes within 5 s`, { skip }, async (t) => {
    interrupt(await startEndlessTest(t));
    await setTimeout(5000);
    assert.deepEqual(runnerProcesses(), []);
  });
}
