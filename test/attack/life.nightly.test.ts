// Life cycle of the process under load: it stops without losing a request, serves others beside slow clients, and sheds load.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startChild } from "./child.ts";
import { endure, noLoadShedding, slowClientLimits, stopUnderLoad } from "./life.ts";
import { overload, quantile } from "./overload.ts";

for (const run of [1, 2, 3]) {
  test(`a hundred busy clients lose no request when the server ends: ${run} of 3`, async () => {
    await using child = await startChild(noLoadShedding);
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
  await using child = await startChild({ ...slowClientLimits, ...noLoadShedding });
  const { cut, times } = await endure(child.port, () => 3, 60_000);
  assert.deepEqual(
    [...cut].filter(([, time]) => time === Infinity),
    [],
  );
  assert.ok(times.length > 10 && times.at(-1) !== Infinity);
  assert.deepEqual(child.faults(), []);
});

test("at three times the capacity, excess requests are refused early, and many are answered", async () => {
  await using child = await startChild();
  // Long enough for two probes, after each of which some requests are refused late.
  const seen = await overload(child, { calmTime: 1000, time: 8000, factor: 3 });
  assert.deepEqual([...seen.healthStatuses], [200]);
  assert.deepEqual([seen.lost, seen.silent], [0, 0]);
  assert.ok(seen.refusals.length > 100, String(seen.refusals.length));
  assert.ok(seen.goodput > seen.capacity / 2, `${seen.goodput} of ${seen.capacity} a second`);
  // Late refusals would take a second or more.
  const early = quantile(seen.refusals, 0.5);
  assert.ok(early < 200, `${early} ms`);
  assert.deepEqual(child.faults(), []);
});
