// A slow machine pauses longer between two writes than the watcher waits for the next one.
import { test } from "node:test";
import { reloadsOnce } from "./reloads-once.test.ts";

test("reloads once for a command that writes many files, however it paces them", async () => {
  for (const pauseMs of [0, 10, 40]) await reloadsOnce(pauseMs);
});
