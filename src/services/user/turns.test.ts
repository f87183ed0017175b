import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { gateOptions } from "./password/index.ts";
import { Turns } from "./turns.ts";

test("those who prove themselves by one account's password take turns, and others do not wait for them", async () => {
  const turns = new Turns();
  let running = 0;
  let most = 0;
  const attempt = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await setImmediate();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 40 }, () => turns.take("one", attempt, undefined)));
  assert.equal(most, gateOptions.running);
  const one = Promise.withResolvers<void>();
  const held = Array.from({ length: gateOptions.running }, () => turns.take("one", () => one.promise, undefined));
  await turns.take("other", attempt, undefined);
  assert.equal(turns.size, 1);
  one.resolve();
  await Promise.all(held);
  assert.equal(turns.size, 0, "nothing is kept of those who are through");
});

test("whoever comes when one of several attempts has ended waits for the others", async () => {
  const turns = new Turns();
  const held = Array.from({ length: 2 * gateOptions.running + 1 }, () => Promise.withResolvers<void>());
  const works = held.map(({ promise }) => turns.take("one", () => promise, undefined));
  held[0]?.resolve();
  await works[0];
  let isIn = false;
  const late = turns.take("one", async () => void (isIn = true), undefined);
  await setImmediate();
  assert.equal(isIn, false);
  for (const { resolve } of held) resolve();
  await Promise.all([...works, late]);
  assert.equal(isIn, true);
});
