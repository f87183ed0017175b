import { RandomInternals } from "./index.ts";
import assert from "node:assert/strict";
import { afterEach, suite, test } from "node:test";
import { assert as assertProperty, integer, property } from "fast-check";
import { TimeInternals } from "../time/index.ts";
import { Random } from "./index.ts";

suite("random", () => {
  let restore = (): void => {};
  const seed = (text: string): void => {
    restore();
    restore = RandomInternals.useSource(RandomInternals.seededSource(text));
  };
  afterEach(() => {
    restore();
    restore = () => {};
  });

  test("returns new values of the requested size", () => {
    assert.equal(Random.bytes(5).length, 5);
    assert.match(Random.hex(16), /^[0-9a-f]{32}$/);
    assert.match(RandomInternals.base64url(16), /^[\w-]{22}$/);
    assert.match(Random.token(), /^[\w-]{43}$/);
    assert.equal(new Set(Array.from({ length: 1000 }, () => Random.token())).size, 1000);
  });

  test("never returns a part of the pool twice, for any sequence of sizes", () => {
    const seen = new Set<string>();
    for (let size = 16; size < 300; size++) {
      const drawn = Random.bytes(size);
      assert.equal(drawn.length, size);
      for (let start = 0; start + 16 <= size; start += 16) seen.add(drawn.toString("hex", start, start + 16));
    }
    const parts = Array.from({ length: 284 }, (_, index) => Math.floor((index + 16) / 16));
    assert.equal(
      seen.size,
      parts.reduce((sum, count) => sum + count, 0),
    );
    for (const size of [-1, Number.NaN]) assert.throws(() => Random.bytes(size), { code: "ERR_OUT_OF_RANGE" });
  });

  test("makes UUIDs of version 4, from any source", () => {
    const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let count = 0; count < 200; count++) assert.match(Random.uuid(), version4);
    seed("uuid");
    for (let count = 0; count < 200; count++) assert.match(Random.uuid(), version4);
  });

  test("makes UUIDs of version 7 that sort in the order of their creation", () => {
    const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const beforeMs = Date.now();
    const made = Array.from({ length: 20_000 }, () => Random.uuid7());
    const timeOf = (uuid: string): number => Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
    for (const uuid of made) assert.match(uuid, version7);
    assert.deepEqual(made.toSorted(), made);
    assert.equal(new Set(made.map((uuid) => uuid.slice(19))).size, made.length);
    assert.ok(timeOf(made[0]!) >= beforeMs && timeOf(made[0]!) <= Date.now());
  });

  test("makes UUIDs of version 7 of the clock, in order even if it is set back a little", () => {
    const clock = TimeInternals.fakeClock(new Date("2031-05-06T07:08:09.123Z"));
    const restoreClock = TimeInternals.useClock(clock);
    try {
      const timeOf = (uuid: string): number => Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
      const first = Random.uuid7();
      assert.equal(timeOf(first), Date.parse("2031-05-06T07:08:09.123Z"));
      clock.set(new Date("2031-05-06T07:08:08.000Z"));
      assert.ok(Random.uuid7() > first);
      clock.set(new Date("2030-01-01T00:00:00.000Z"));
      assert.equal(timeOf(Random.uuid7()), Date.parse("2030-01-01T00:00:00.000Z"));
    } finally {
      restoreClock();
    }
  });

  test("returns whole numbers between both limits, inclusive", () => {
    const seen = new Set(Array.from({ length: 500 }, () => Random.int(-2, 2)));
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      [-2, -1, 0, 1, 2],
    );
    assertProperty(
      property(integer(), integer({ min: 0, max: 1_000_000 }), (min, span) => {
        const drawn = Random.int(min, min + span);
        assert.ok(Number.isSafeInteger(drawn) && drawn >= min && drawn <= min + span);
      }),
    );
  });

  test("rejects draws that would bias the result", () => {
    const draws = [Buffer.alloc(6, 0xff), Buffer.from([0, 0, 0, 0, 0, 7])];
    restore = RandomInternals.useSource(() => draws.shift() ?? assert.fail("drawn too often"));
    assert.equal(Random.int(0, 2), 1);
    assert.equal(draws.length, 0);
  });

  test("distributes the numbers of a range evenly", () => {
    seed("even");
    const counts = [0, 0, 0, 0, 0, 0];
    for (let count = 0; count < 6000; count++) counts[Random.int(0, 5)]! += 1;
    for (const count of counts) assert.ok(Math.abs(count - 1000) < 150, String(counts));
  });

  for (const [min, max] of [
    [1, 0],
    [0.5, 2],
    [0, Number.NaN],
    [0, 2 ** 48],
    [0, Infinity],
    [Number.MIN_SAFE_INTEGER, 2 ** 53],
  ] as const) {
    test(`refuses the range from ${min} to ${max}`, () => {
      assert.throws(() => Random.int(min, max), { code: "E_RANDOM_RANGE" });
    });
  }

  test("accepts the widest range", () => {
    assert.ok(Random.int(0, 2 ** 48 - 1) >= 0);
  });

  test("returns the same bytes for a seed, however they are split into calls", () => {
    seed("a");
    const whole = Random.bytes(100);
    seed("a");
    const parts = [Random.bytes(1), Random.bytes(31), Random.bytes(0), Random.bytes(68)];
    assert.deepEqual(Buffer.concat(parts), whole);
    seed("b");
    assert.notDeepEqual(Random.bytes(100), whole);
  });
});
