import assert from "node:assert/strict";
import { describe, suite, test } from "node:test";
import { assert as assertProperty, constantFrom, integer, property } from "fast-check";
import { Schedule, Time } from "limmat";
import { rounds } from "../../../../test/rounds.ts";

const due = (cron: string, timeZone = "UTC"): Schedule.Schedule =>
  Schedule.make({ name: "test", cron, timeZone, run: () => {} });

/** Returns the slots after `from`, up to `to`. */
function slotsBetween(schedule: Schedule.Schedule, from: string | number, to: string | number): string[] {
  const slots: string[] = [];
  const end = new Date(to);
  for (let slot = schedule.next(new Date(from)); slot !== undefined && slot <= end; slot = schedule.next(slot)) {
    slots.push(slot.toISOString().replace(".000Z", "Z"));
  }
  return slots;
}

suite("intervals", () => {
  test("have slots at whole multiples of the interval", () => {
    const schedule = Schedule.make({ name: "test", intervalMs: Time.minutes(5), run: () => {} });
    assert.equal(schedule.timing, "every 5m");
    assert.deepEqual(slotsBetween(schedule, "2030-01-01T00:01:23Z", "2030-01-01T00:10:00Z"), [
      "2030-01-01T00:05:00Z",
      "2030-01-01T00:10:00Z",
    ]);
    assert.equal(schedule.latest(new Date("2030-01-01T00:04:59.999Z"))?.toISOString(), "2030-01-01T00:00:00.000Z");
    assert.equal(schedule.latest(new Date("2030-01-01T00:05:00Z"))?.toISOString(), "2030-01-01T00:05:00.000Z");
  });

  for (const intervalMs of [0, -1000, 999, 1000.5, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER]) {
    test(`of ${intervalMs} ms are refused`, () => {
      assert.throws(() => Schedule.make({ name: "test", intervalMs, run: () => {} }), { code: "E_SCHEDULE_INTERVAL" });
    });
  }

  test("are requested if a schedule has neither an interval nor a cron expression", () => {
    const definition = { name: "test", run: () => {} } as unknown as Parameters<typeof Schedule.make>[0];
    assert.throws(() => Schedule.make(definition), { message: /has no time\. Set either intervalMs or cron\.$/ });
  });
});

suite("cron expressions", () => {
  for (const [cron, from, ...expected] of [
    ["0 3 * * 1", "2026-11-21", "2026-11-23T03:00:00Z", "2026-11-30T03:00:00Z"],
    ["  0  3 * * MON ", "2026-11-21", "2026-11-23T03:00:00Z"],
    ["0 0 L * *", "2028-02-01", "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"],
    ["0 0 * * 5L", "2026-11-01", "2026-11-27T00:00:00Z"],
    ["0 0 * * FRI#2", "2026-11-01", "2026-11-13T00:00:00Z", "2026-12-11T00:00:00Z"],
    ["0 9 15W * *", "2026-11-01", "2026-11-16T09:00:00Z"],
    ["0 0 13 * 5", "2026-11-10", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"],
    ["*/20 8-9 * * *", "2026-11-21T08:30:00Z", "2026-11-21T08:40:00Z", "2026-11-21T09:00:00Z"],
    ["*/30 * * * * *", "2026-11-21T08:30:00Z", "2026-11-21T08:30:30Z", "2026-11-21T08:31:00Z"],
    ["0 0 29 2 *", "2026-11-21", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"],
    ["@daily", "2026-11-21", "2026-11-22T00:00:00Z"],
    ["@hourly", "2026-11-21T00:30:00Z", "2026-11-21T01:00:00Z"],
  ] as const) {
    test(`"${cron}" is due at ${expected[0]}`, () => {
      assert.deepEqual(slotsBetween(due(cron), from, expected.at(-1) ?? ""), expected);
    });
  }

  for (const [cron, problem] of [
    ["", /five fields/],
    ["x", /five fields/],
    ["* * * *", /five fields/],
    ["* * * * * * *", /five fields/],
    ["2026-01-01T00:00:00", /five fields/],
    ["60 * * * *", /minute: 60/],
    ["0 24 * * *", /hour: 24/],
    ["0 0 0 * *", /day/],
    ["0 0 * FOO *", /FOO/],
    ["5-1 * * * *", /5-1/],
    ["5/5 * * * *", /5\/5/],
    ["0 0 30 2 *", /never due/],
    ["@reboot", /@reboot/],
    ["@never", /@never|fields/],
  ] as const) {
    test(`${JSON.stringify(cron)} is refused, with the reason`, () => {
      assert.throws(
        () => due(cron),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, "E_SCHEDULE_CRON");
          assert.match(error.message, problem);
          assert.ok(error.message.includes(`"${cron}"`));
          return true;
        },
      );
    });
  }

  test("in an unknown time zone are refused", () => {
    assert.throws(() => due("0 3 * * *", "Mars/Olympus"), { code: "E_SCHEDULE_TIME_ZONE" });
  });

  test("describe their timing for people", () => {
    assert.equal(due("0 3 * * 1", "Europe/Zurich").timing, "0 3 * * 1 (Europe/Zurich)");
  });

  for (const name of ["", "a b", "a/b", "ä", "a".repeat(101)]) {
    test(`the name ${JSON.stringify(name.slice(0, 20))} is refused`, () => {
      assert.throws(() => Schedule.make({ name, intervalMs: 1000, run: () => {} }), { code: "E_SCHEDULE_NAME" });
    });
  }
});

suite("when clocks change, by example", () => {
  for (const [name, cron, timeZone, from, to, expected] of [
    [
      "a skipped time is due at the end of the gap",
      "30 2 * * *",
      "Europe/Zurich",
      "2026-03-28T12:00:00Z",
      "2026-03-30T12:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    ],
    [
      "a repeated time is due the first time",
      "30 2 * * *",
      "Europe/Zurich",
      "2026-10-24T12:00:00Z",
      "2026-10-26T12:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    ],
    [
      "several skipped times are due once",
      "*/20 2 * * *",
      "Europe/Zurich",
      "2026-03-28T12:00:00Z",
      "2026-03-29T12:00:00Z",
      ["2026-03-29T01:00:00Z"],
    ],
    [
      "several repeated times are due the first time",
      "*/20 2 * * *",
      "Europe/Zurich",
      "2026-10-24T12:00:00Z",
      "2026-10-25T12:00:00Z",
      ["2026-10-25T00:00:00Z", "2026-10-25T00:20:00Z", "2026-10-25T00:40:00Z"],
    ],
    [
      "a skipped time and one at the end of the gap are due once",
      "0 2,3 * * *",
      "Europe/Zurich",
      "2026-03-28T12:00:00Z",
      "2026-03-29T12:00:00Z",
      ["2026-03-29T01:00:00Z"],
    ],
    [
      "an hourly expression follows elapsed time across a gap",
      "30 * * * *",
      "Europe/Zurich",
      "2026-03-29T00:00:00Z",
      "2026-03-29T02:00:00Z",
      ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"],
    ],
    [
      "an hourly expression follows elapsed time across a repeated hour",
      "30 * * * *",
      "Europe/Zurich",
      "2026-10-25T00:00:00Z",
      "2026-10-25T02:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
    ],
    [
      "midnight can be skipped",
      "@daily",
      "Africa/Cairo",
      "2026-04-23T12:00:00Z",
      "2026-04-25T12:00:00Z",
      ["2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"],
    ],
    [
      "a gap can be half an hour",
      "15 2 * * *",
      "Australia/Lord_Howe",
      "2026-10-03T00:00:00Z",
      "2026-10-04T12:00:00Z",
      ["2026-10-03T15:30:00Z"],
    ],
    [
      "a gap can be a day",
      "0 12 * * *",
      "Pacific/Apia",
      "2011-12-29T12:00:00Z",
      "2011-12-31T12:00:00Z",
      ["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"],
    ],
  ] as const) {
    test(name, () => assert.deepEqual(slotsBetween(due(cron, timeZone), from, to), expected));
  }
});

const zones = [
  "Europe/Zurich",
  "Europe/London",
  "Europe/Dublin",
  "Europe/Athens",
  "Europe/Kiev",
  "Atlantic/Azores",
  "America/New_York",
  "America/Chicago",
  "America/Los_Angeles",
  "America/St_Johns",
  "America/Havana",
  "America/Santiago",
  "America/Nuuk",
  "Australia/Sydney",
  "Australia/Adelaide",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Asia/Jerusalem",
  "Asia/Beirut",
  "Africa/Cairo",
  "Antarctica/Troll",
] as const;

/** Returns the local time, computed in another way than by the code under test. */
function localTime(time: number, timeZone: string): number {
  return Date.parse(`${new Date(time).toLocaleString("sv-SE", { timeZone })}Z`.replace(" ", "T"));
}

/** Returns the clock changes of a year: their timestamps, and the milliseconds by which clocks go forward. */
function clockChanges(timeZone: string, year: number): (readonly [timestamp: number, offsetMs: number])[] {
  const changes: (readonly [number, number])[] = [];
  const offset = (time: number): number => localTime(time, timeZone) - time;
  const step = Time.days(7);
  for (let time = Date.UTC(year, 0, 1); time < Date.UTC(year + 1, 0, 1); time += step) {
    let [low, high] = [time, time + step];
    if (offset(low) === offset(high)) continue;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    changes.push([high, offset(high) - offset(low)]);
  }
  return changes;
}

describe("when clocks change, in many zones", () => {
  for (const zone of zones) {
    const changes = clockChanges(zone, 2026);
    test(`${zone} changes its clocks twice a year`, () => assert.equal(changes.length, 2));

    for (const [at, by] of changes) {
      const middle = localTime(at - 1000, zone) + 1000 + by / 2;
      const local = new Date(middle);
      const cron = `${local.getUTCMinutes()} ${local.getUTCHours()} * * *`;
      const day = [at - Time.hours(20), at + Time.hours(20)] as const;

      test(`${zone} ${by > 0 ? "skips" : "repeats"} ${cron} once`, () => {
        const near = slotsBetween(due(cron, zone), ...day);
        const expected = by > 0 ? at : at + by / 2;
        assert.deepEqual(near, [new Date(expected).toISOString().replace(".000Z", "Z")]);
      });

      test(`${zone} is due every 15 minutes of elapsed time when clocks ${by > 0 ? "skip" : "repeat"}`, () => {
        const near = slotsBetween(due("*/15 * * * *", zone), at - Time.hours(3), at + Time.hours(3));
        const expected = Array.from({ length: 24 }, (_, index) => at - Time.hours(3) + (index + 1) * Time.minutes(15));
        assert.deepEqual(near.map(Date.parse), expected);
      });
    }
  }
});

test("slots are in order, and no slot lies between the latest and the next one", () => {
  const expressions = constantFrom(
    "30 2 * * *",
    "*/7 1-3 * * *",
    "0 */2 * * *",
    "15 * * * *",
    "0 0 * * *",
    "59 23 L * *",
    "*/20 0,1,2 * * 0",
    "@weekly",
  );
  assertProperty(
    property(expressions, constantFrom(...zones), integer({ min: 0, max: 366 * 1440 }), (cron, zone, minute) => {
      const schedule = due(cron, zone);
      const at = new Date(Date.UTC(2026, 0, 1) + minute * 60_000 + 30_000);
      const latest = schedule.latest(at);
      const next = schedule.next(at);
      assert.ok(latest !== undefined && next !== undefined && latest <= at && next > at);
      assert.deepEqual(schedule.next(latest), next);
      assert.deepEqual(schedule.latest(next), next);
      assert.deepEqual(schedule.latest(new Date(next.getTime() - 1)), latest);
    }),
    { numRuns: rounds(500) },
  );
});

test("slots near a clock change are in order", () => {
  const near = zones.flatMap((zone) => clockChanges(zone, 2026).map(([at]) => [zone, at] as const));
  const expressions = constantFrom("*/7 0-3 * * *", "30 1,2,3 * * *", "0 */2 * * *", "0,30 22-23,0-2 * * *");
  assertProperty(
    property(expressions, constantFrom(...near), integer({ min: -240, max: 240 }), (cron, [zone, change], minute) => {
      const schedule = due(cron, zone);
      const at = new Date(change + minute * 60_000);
      const latest = schedule.latest(at) ?? new Date(0);
      const next = schedule.next(at) ?? new Date(0);
      assert.ok(latest <= at && next > at);
      assert.deepEqual(schedule.next(latest), next);
      assert.deepEqual(schedule.latest(next), next);
    }),
    { numRuns: 100 },
  );
});
