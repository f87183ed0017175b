// Life cycle of the process: it stops without losing a request, and survives slow clients and malformed requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startChild } from "./child.ts";
import { bombard } from "./generated.ts";
import { endure, stopUnderLoad } from "./life.ts";
import { overload, quantile } from "./overload.ts";
import { exchange } from "./wire.ts";

// On a busy machine no request is shed, except in the test of load shedding.
const unhurried = { maxEventLoopDelayMs: 0 };

for (const run of [1, 2, 3]) {
  test(`a hundred busy clients lose no request when the server ends: ${run} of 3`, async () => {
    await using child = await startChild(unhurried);
    const { answered, lost, code } = await stopUnderLoad(child, 100);
    assert.equal(lost, 0);
    assert.ok(answered > 300);
    assert.equal(code, 0);
    const [, begun, ended] = /^count (\d+) (\d+)$/m.exec(child.printed()) ?? [];
    assert.deepEqual([begun, ended], [String(answered), String(answered)]);
    assert.deepEqual(child.faults(), []);
  });
}

test("slow clients of every kind are disconnected, and other clients served meanwhile", async () => {
  const limits = {
    headerTimeoutMs: 1000,
    bodyTimeoutMs: 1000,
    requestTimeoutMs: 20_000,
    stallTimeoutMs: 1000,
    keepAliveMs: 500,
  };
  await using child = await startChild({ ...limits, ...unhurried });
  const { cut, times } = await endure(child.port, () => 3, 60_000);
  assert.deepEqual(
    [...cut].filter(([, time]) => time === Infinity),
    [],
  );
  assert.ok(times.length > 10 && times.at(-1) !== Infinity);
  assert.deepEqual(child.faults(), []);
});

test("at three times the capacity, excess requests are refused early, and many are answered", async () => {
  // At the rate of a slow machine, a connection waits longer for its next request than it may by default.
  await using child = await startChild({ keepAliveMs: 120_000 });
  // Long enough for two probes, after each of which some requests are refused late.
  const seen = await overload(child, { calmTime: 1000, time: 8000, factor: 3 });
  assert.deepEqual([...seen.healthStatuses], [200]);
  assert.deepEqual([seen.lost, seen.silent], [0, 0]);
  assert.ok(seen.refusals.length > 100, String(seen.refusals.length));
  // Requests are accepted for a part of each round. The server has only its share of that time.
  const minGoodput = (seen.capacity / 2) * Math.min(1, seen.share);
  assert.ok(
    seen.goodput > minGoodput,
    `${seen.goodput} of ${seen.capacity} a second, with ${seen.share} of a processor`,
  );
  // Valid only if the server had a processor of its own. Late refusals would take a second or more.
  const early = quantile(seen.refusals, 0.5) * seen.share;
  assert.ok(early < 200, `${early} ms`);
  assert.deepEqual(child.faults(), []);
});

test("thousands of generated requests cause no crash and no 500", async (t) => {
  await using child = await startChild(unhurried);
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  t.diagnostic(`SEED=${seed}`);
  const { statuses, wrong } = await bombard(child.port, 5000, seed);
  assert.deepEqual(wrong, []);
  assert.deepEqual(child.faults(), []);
  const told = JSON.stringify([...statuses]);
  assert.ok((statuses.get(200) ?? 0) > 200, told);
  for (const status of [303, 400, 403, 404, 405, 415, 422]) assert.ok(statuses.has(status), told);
  const { answers } = await exchange(child.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  assert.equal(answers[0]?.status, 200);
});
