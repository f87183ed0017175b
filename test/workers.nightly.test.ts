// Tests of `server --workers` under load, with real processes.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { answeringPids, listening, portOf, send, startServerProgram } from "./server-program.ts";
import { isRunning } from "./servers/process.ts";
import { stopUnderRate } from "./soak/stop-rate.ts";

interface LoadGenerator {
  /** IDs of the processes that answered. */
  readonly pids: ReadonlySet<string>;
  /** Waits until this many more requests are answered or failed. */
  readonly waitForRequests: (requests: number) => Promise<void>;
  /** Stops the requests. Returns the errors of failed ones. */
  readonly stop: () => Promise<readonly unknown[]>;
}

/**
 * Sends requests continuously on several connections.
 *
 * Repeats a request on a connection that the server closed before reading it, as HTTP clients do (RFC 9110 §9.2.2).
 */
function generateLoad(port: number, connections: number): LoadGenerator {
  const failures: unknown[] = [];
  const pids = new Set<string>();
  let count = 0;
  let onCount = (): void => {};
  const controller = new AbortController();
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!controller.signal.aborted) {
      const { sent, body } = send(port, "/", agent);
      try {
        pids.add(await body);
      } catch (cause) {
        if (sent.reusedSocket) continue;
        failures.push(cause);
      }
      count += 1;
      onCount();
    }
    agent.destroy();
  };
  const clients = Promise.all(Array.from({ length: connections }, client));
  return {
    pids,
    waitForRequests: (requests) => {
      const targetCount = count + requests;
      return new Promise((resolve) => {
        onCount = () => {
          if (count >= targetCount) resolve();
        };
      });
    },
    stop: async () => {
      controller.abort();
      await clients;
      return failures;
    },
  };
}

test("replaces the workers one by one on SIGHUP without losing a request under load", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const before = new Set(await answeringPids(port, 8));
  const load = generateLoad(port, 8);
  await load.waitForRequests(100);
  program.process.kill("SIGHUP");
  await program.waitForEvents(/^Workers replaced$/);
  assert.deepEqual([...before].map(Number).filter(isRunning), []);
  const after = new Set(await answeringPids(port, 8));
  await load.waitForRequests(100);
  assert.deepEqual(await load.stop(), []);
  assert.deepEqual([before.size, after.size, before.intersection(after).size], [2, 2, 0]);
  assert.ok(load.pids.intersection(before).size > 0 && load.pids.intersection(after).size > 0);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

for (const args of [[], ["--workers", "2"]]) {
  test(`answers or refuses each new connection while ${args.length === 0 ? "one process" : "workers"} stop`, async () => {
    for (let stops = 0; stops < 3; stops++) {
      const { answered, lost, exitCode } = await stopUnderRate({ args, requestsPerSecond: 1000, loadMs: 300 });
      assert.deepEqual([lost, exitCode], [{}, 0]);
      assert.ok(answered > 0);
    }
  });
}
