import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { hashLimits } from "../../password/index.ts";
import { KeyedLimiter } from "./login.ts";

test("the limiter limits the concurrent attempts of one account and does not delay other accounts", async () => {
  const limiter = new KeyedLimiter();
  let running = 0;
  let maxRunning = 0;
  const attempt = async (): Promise<void> => {
    maxRunning = Math.max(maxRunning, ++running);
    await setImmediate();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 40 }, () => limiter.run("one", attempt, undefined)));
  assert.equal(maxRunning, hashLimits.maxRunning);
  const release = Promise.withResolvers<void>();
  const pending = Array.from({ length: hashLimits.maxRunning }, () =>
    limiter.run("one", () => release.promise, undefined),
  );
  await limiter.run("other", attempt, undefined);
  assert.equal(limiter.size, 1);
  release.resolve();
  await Promise.all(pending);
  assert.equal(limiter.size, 0, "accounts without attempts are removed");
});

test("an attempt that arrives when one of several has ended waits for the others", async () => {
  const limiter = new KeyedLimiter();
  const releases = Array.from({ length: 2 * hashLimits.maxRunning + 1 }, () => Promise.withResolvers<void>());
  const attempts = releases.map(({ promise }) => limiter.run("one", () => promise, undefined));
  releases[0]?.resolve();
  await attempts[0];
  let hasStarted = false;
  const lateAttempt = limiter.run("one", async () => void (hasStarted = true), undefined);
  await setImmediate();
  assert.equal(hasStarted, false);
  for (const { resolve } of releases) resolve();
  await Promise.all([...attempts, lateAttempt]);
  assert.equal(hasStarted, true);
});
