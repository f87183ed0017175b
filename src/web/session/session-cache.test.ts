import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyContent } from "./session-content.ts";
import { SessionCache, type VerifiedSession } from "./session-cache.ts";

const session: VerifiedSession = { content: emptyContent, signedAtMs: 0, isCurrent: true };
const text = (visitor: number): string => String(visitor).padStart(100, "x");
/** Size of one entry. */
const entryBytes = sizeOfOne();

function sizeOfOne(): number {
  const cache = new SessionCache(1_000_000);
  cache.add(text(0), session);
  return cache.bytes;
}

/** Returns the share of the visitors that find their session, when they come in turn for the tenth time. */
function hitShare(cache: SessionCache, visitors: number): number {
  let hits = 0;
  for (let round = 0; round <= 10; round++) {
    hits = 0;
    for (let visitor = 0; visitor < visitors; visitor++) {
      if (cache.get(text(visitor)) === undefined) cache.add(text(visitor), session);
      else hits += 1;
    }
  }
  return hits / visitors;
}

describe("the session cache", () => {
  test("holds every session that fits", () => {
    const cache = new SessionCache(1000 * entryBytes);
    assert.equal(hitShare(cache, 1000), 1);
    assert.equal(cache.bytes, 1000 * entryBytes);
  });

  test("serves visitors in turn who are more than it holds, nearly as many as it holds", () => {
    // With eviction of the oldest, all three are 0.
    assert.ok(hitShare(new SessionCache(1000 * entryBytes), 1001) > 0.95);
    assert.ok(hitShare(new SessionCache(1000 * entryBytes), 1200) > 0.7);
    assert.ok(hitShare(new SessionCache(1000 * entryBytes), 2000) > 0.35);
  });

  test("keeps most sessions while as many visitors come once", () => {
    const cache = new SessionCache(1000 * entryBytes);
    hitShare(cache, 1000);
    for (let visitor = 1000; visitor < 2000; visitor++) cache.add(text(visitor), session);
    let kept = 0;
    for (let visitor = 0; visitor < 1000; visitor++) if (cache.get(text(visitor)) !== undefined) kept += 1;
    assert.ok(kept > 700 && kept < 850, `${kept} of 1000`);
  });

  test("adds the sessions of new visitors in the course of time", () => {
    const cache = new SessionCache(100 * entryBytes);
    hitShare(cache, 100);
    let visits = 0;
    while (cache.get(text(1000)) === undefined && visits < 500) {
      cache.add(text(1000), session);
      visits += 1;
    }
    assert.equal(cache.get(text(1000)), session, "not added in 500 visits");
  });

  test("stays within its limit, whatever the sizes", () => {
    const maxBytes = 100 * entryBytes;
    const cache = new SessionCache(maxBytes);
    for (let visitor = 0; visitor < 20_000; visitor++) {
      cache.add(`${visitor}${"y".repeat((visitor * 37) % 4000)}`, session);
      assert.ok(cache.bytes > 0 && cache.bytes <= maxBytes);
    }
  });

  test("adds nothing that exceeds its limit alone", () => {
    const cache = new SessionCache(entryBytes);
    for (let visit = 0; visit < 100; visit++) cache.add("z".repeat(1000), session);
    assert.deepEqual([cache.bytes, cache.get("z".repeat(1000))], [0, undefined]);
  });
});
