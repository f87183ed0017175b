// Tests of `server --workers` with real processes.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { waitFor } from "limmat/testing";
import { answeringPids, listening, portOf, send, startServerProgram } from "./server-program.ts";
import { isRunning } from "./servers/process.ts";
import { parse } from "../src/services/metrics/engine/exposition-parser.test.ts";

test("warns once at start that CSRF tokens are not checked, with and without workers", async (t) => {
  for (const args of [[], ["--workers", "2"]]) {
    const program = startServerProgram(t, args, { CHECK_CSRF: "false" });
    await program.waitForEvents(listening, args.length === 0 ? 1 : 2);
    assert.deepEqual(
      program.events().flatMap(({ message }) => (/CSRF|CHECK_CSRF/.test(message) ? [message] : [])),
      ["CSRF tokens are not checked: set CHECK_CSRF to true to check them in this environment"],
    );
    program.process.kill("SIGTERM");
    assert.equal(await program.exit, 0);
  }
});

test("workers share one port, log their number, log the environment once, and exit together", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const started = await program.waitForEvents(listening, 2);
  assert.deepEqual(new Set(started.map(({ worker }) => worker)), new Set([1, 2]));
  const [first, second] = started.map(portOf);
  assert.equal(first, second);
  const pids = new Set(await answeringPids(first ?? 0, 8));
  assert.equal(pids.size, 2);
  assert.equal(pids.has(String(program.process.pid)), false);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
  assert.equal(program.events().filter(({ message }) => message === "Starting in test").length, 1);
  assert.deepEqual([...pids].map(Number).filter(isRunning), []);
});

test("replaces a worker that exits while another one answers", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  await assert.rejects(send(port, "/die").body, { code: "ECONNRESET" });
  assert.equal((await answeringPids(port, 4)).length, 4);
  await program.waitForEvents(/^Worker exited and is replaced$/);
  const started = await program.waitForEvents(listening, 3);
  assert.equal(started.at(-1)?.worker, 3);
  assert.equal(new Set(await answeringPids(port, 8)).size, 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("redistributes a connection that a worker had not accepted before it died", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const [pid] = new Set(await answeringPids(port, 8));
  process.kill(Number(pid), "SIGSTOP");
  let answered = 0;
  const three = Promise.withResolvers<void>();
  const answers = Array.from({ length: 4 }, async () => {
    const body = await send(port).body;
    if (++answered === 3) three.resolve();
    return body;
  });
  await three.promise;
  process.kill(Number(pid), "SIGKILL");
  assert.equal(new Set(await Promise.all(answers)).has(pid ?? ""), false);
});

test("replaces the workers one by one on SIGHUP", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const before = new Set(await answeringPids(port, 8));
  program.process.kill("SIGHUP");
  await program.waitForEvents(/^Workers replaced$/);
  assert.deepEqual([...before].map(Number).filter(isRunning), []);
  const after = new Set(await answeringPids(port, 8));
  assert.deepEqual([before.size, after.size, before.intersection(after).size], [2, 2, 0]);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("answers received requests after SIGTERM and exits with 0", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const answers = Array.from({ length: 10 }, () => send(portOf(event), "/slow").body);
  await program.waitForEvents(/^arrived$/, answers.length);
  program.process.kill("SIGTERM");
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(["done"]));
  assert.equal(await program.exit, 0);
});

const requests = "http_server_request_duration_seconds";

/** Returns the number of requests of the route `/` by worker number, from the metrics of any worker. */
async function requestCounts(port: number): Promise<ReadonlyMap<string, number>> {
  const metrics = parse(await Promise.any(Array.from({ length: 4 }, () => send(port, "/metrics").body)));
  const lines = metrics.get(requests)?.lines ?? [];
  const counts = lines.filter(({ name, labels }) => name === `${requests}_count` && labels["http_route"] === "/");
  const workers = (metrics.get("process_resident_memory_bytes")?.lines ?? []).map(
    ({ labels }) => labels["worker"] ?? "",
  );
  return new Map(
    workers.map((worker) => [worker, counts.find(({ labels }) => labels["worker"] === worker)?.value ?? 0]),
  );
}

const sum = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((all, count) => all + count, 0);

/**
 * Waits until the counts match. A response is counted shortly after its client has received it, and a worker that does not
 * answer within a second is left out.
 */
async function waitForCounts(
  { signal }: TestContext,
  port: number,
  isMatch: (counts: ReadonlyMap<string, number>) => boolean,
): Promise<void> {
  await waitFor(async () => isMatch(await requestCounts(port)), { signal, timeoutMs: 300_000 });
}

test("each worker returns the metrics of all workers, and a replaced worker's metrics are not lost", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const pids = await answeringPids(port, 20);
  await waitForCounts(t, port, (counts) => counts.size === 2 && sum(counts) === 20);
  for (let round = 0; round < 5; round++) {
    await waitForCounts(t, port, (counts) => {
      assert.deepEqual([...counts.keys()].sort(), ["1", "2"]);
      return sum(counts) === 20 && counts.values().every((count) => count > 0);
    });
  }
  // A worker that does not answer is left out; the others are still reported.
  const [stopped] = pids;
  process.kill(Number(stopped), "SIGSTOP");
  await waitForCounts(t, port, (counts) => counts.size === 1 && sum(counts) > 0);
  process.kill(Number(stopped), "SIGCONT");
  await waitForCounts(t, port, (counts) => counts.size === 2 && sum(counts) === 20);
  program.process.kill("SIGHUP");
  await program.waitForEvents(/^Workers replaced$/);
  await waitForCounts(t, port, (counts) => counts.has("3") && counts.has("4") && counts.size === 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("reports a failed start once and exits with 1", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"], { BEHAVIOUR: "fail" });
  assert.equal(await program.exit, 1);
  assert.equal(program.output().match(/the database is away/g)?.length, 1);
  assert.match(program.output(), /E_WORKERS_START/);
});

test("reports invalid configuration before any worker starts", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"], { PORT: "http" });
  assert.equal(await program.exit, 1);
  assert.match(program.output(), /PORT +must be/);
  assert.doesNotMatch(program.output(), /E_WORKERS_START/);
});

test("exits all processes immediately on a second signal, including blocked ones", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"], { BEHAVIOUR: "hang" });
  await program.waitForEvents(listening, 2);
  program.process.kill("SIGTERM");
  await program.waitForOutput("Send it again");
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 143);
});

test("kills all workers when the primary process dies", async (t) => {
  const program = startServerProgram(t, ["--workers", "2"]);
  await program.waitForEvents(listening, 2);
  program.process.kill("SIGKILL");
  assert.equal(await program.exit, null);
});

test("shows the usage for an invalid number of workers", async (t) => {
  for (const args of [["--workers", "0"], ["--workers", "many"], ["--workers"], ["2"]]) {
    const program = startServerProgram(t, args);
    assert.equal(await program.exit, 2, args.join(" "));
    assert.match(program.output(), /server \[--workers <n>\|auto \[--state-file <path>\]\]/);
  }
});
