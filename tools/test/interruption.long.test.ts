// `npm test` leaves no process behind, however it is interrupted. interruption.nightly.test.ts measures the time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../src/testing/index.ts";
import { interruptions, startEndlessTest } from "./interruption.ts";
import { runnerProcesses } from "./runner-process.ts";

const skip = process.platform !== "linux" && "needs /proc";
for (const [name, interrupt] of Object.entries(interruptions)) {
  test(`${name} ends all processes`, { skip }, async (t) => {
    interrupt(await startEndlessTest(t));
    await waitFor(() => {
      assert.deepEqual(runnerProcesses(), []);
      return true;
    }, t);
  });
}
