// Time for which large bodies block the event loop (OWASP ASVS 15.3).
import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { floods } from "./floods.ts";
import { runDemo } from "./run-demo.ts";

const running = runDemo();

/** Returns the longest time for which the event loop was blocked, in milliseconds: the best of several attempts. */
async function blocked(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let attempt = 0; attempt < 20 && best > 25; attempt++) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await work();
    delay.disable();
    best = Math.min(best, delay.max / 1e6);
  }
  return best;
}

for (const [name, body, status] of floods) {
  test(`a flood of ${name} does not block the event loop`, async () => {
    const send = () => running.alice.send("POST", "/api/form", body, "application/x-www-form-urlencoded");
    assert.equal((await send()).status, status);
    const time = await blocked(send);
    assert.ok(time < 50, `${time} ms`);
  });
}
