// Two machines behind a load balancer, under load.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "limmat/testing";
import { startLoad } from "./deploy/load.ts";
import { testMachines, Visitor } from "./two-machines.ts";

await testMachines(({ balancer, end, start }) => {
  test("no request is lost while a machine is stopped, killed and started again", async (t) => {
    const visitor = new Visitor(balancer().url);
    const load = startLoad(Number(new URL(balancer().url).port), "/", 8);
    for (const [index, signal] of [
      [0, "SIGTERM"],
      [1, "SIGKILL"],
    ] as const) {
      await end(index, signal);
      await start(index);
      await waitFor(async () => (await visitor.state()).machine === `machine ${index + 1}`, t);
    }
    const { answered, lost } = await load.stop();
    assert.deepEqual(lost, []);
    assert.ok(answered > 0);
  });
});
