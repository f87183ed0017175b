// Life cycle of the process: it stops without losing a request, and survives slow clients and malformed requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "limmat/testing";
import { startChild } from "./child.ts";
import { bombard } from "./generated.ts";
import { holdSlowClients, noLoadShedding, slowClientLimits } from "./life.ts";
import { exchange, KeepAlive, open } from "./wire.ts";

test("a hundred accepted requests are answered when the server ends", async (t) => {
  await using child = await startChild(noLoadShedding);
  const answers = Array.from({ length: 100 }, async () => {
    const connection = new KeepAlive(await open(child.port));
    return connection.ask("GET /after-stop HTTP/1.1\r\nHost: localhost\r\n\r\n");
  });
  await waitFor(async () => (await child.vitals()).begun === 100, t);
  child.kill("SIGTERM");
  const bodies = (await Promise.all(answers)).map((answer) => answer?.body);
  assert.deepEqual(new Set(bodies), new Set(["stopping"]));
  assert.equal(await child.exit, 0);
  assert.match(child.printed(), /^count 100 100$/m);
  assert.deepEqual(child.faults(), []);
});

test("slow clients of every kind are disconnected", async () => {
  await using child = await startChild({ ...slowClientLimits, ...noLoadShedding });
  const cut = await holdSlowClients(child.port, () => 3, 600_000);
  assert.deepEqual(
    [...cut].filter(([, time]) => time === Infinity),
    [],
  );
  assert.deepEqual(child.faults(), []);
});

test("thousands of generated requests cause no crash and no 500", async (t) => {
  // Some requests are incomplete: they last until a limit of the server.
  const limits = { headerTimeoutMs: 1000, bodyTimeoutMs: 1000, keepAliveMs: 1000 };
  await using child = await startChild({ ...limits, ...noLoadShedding });
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  t.diagnostic(`SEED=${seed}`);
  const { statuses, wrong } = await bombard(child.port, 5000, seed, { width: 64 });
  assert.deepEqual(wrong, []);
  assert.deepEqual(child.faults(), []);
  const told = JSON.stringify([...statuses]);
  assert.ok((statuses.get(200) ?? 0) > 200, told);
  for (const status of [303, 400, 403, 404, 405, 415, 422]) assert.ok(statuses.has(status), told);
  const { answers } = await exchange(child.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  assert.equal(answers[0]?.status, 200);
});
