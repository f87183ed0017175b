import { TimeInternals } from "../../time/index.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, suite, test } from "node:test";
import { App, Configuration, isError, Language, Migration, Schedule, Service, Time } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { type Database, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, type CapturedLog, makeTestHost, runCommand } from "limmat/testing";
import { executeRun, runAtSlots } from "./engine/run.ts";
import type { ScheduleStore } from "./store/contract.ts";
import { memoryStore } from "./store/memory.ts";

const start = Date.UTC(2030, 0, 1);
const at = (minutes: number): Date => new Date(start + Time.minutes(minutes));
const never = (): Promise<never> => new Promise(() => {});
const server = (): Service.Service =>
  Service.make({ name: "server", fetch: () => Promise.resolve(new Response("here")) });

let clock: Time.FakeClock;
let restore: () => void;
let log: CapturedLog;
let folder: string;
let apps: App.Application[];

beforeEach(() => {
  clock = TimeInternals.fakeClock(new Date(start));
  restore = TimeInternals.useClock(clock);
  folder = mkdtempSync(join(tmpdir(), "limmat-schedule-"));
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["SCHEDULE_RUN", "true"],
    ["ENV_FILES_PATH", folder],
  ]);
  log = capturedLog();
  apps = [];
});
afterEach(async () => {
  const stopping = Promise.all(apps.map((app) => app.stop()));
  await clock.advance(Time.seconds(10));
  await stopping;
  log[Symbol.dispose]();
  ConfigurationInternals.reset();
  restore();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): Database => sqlite({ url: `sqlite:${join(folder, "test.db")}` });

interface TestProcess {
  readonly app: App.Application;
  readonly service: Schedule.ScheduleService;
  readonly database: Database | undefined;
}

/** Creates the application of one process. */
function createProcess(
  schedules: readonly Schedule.Schedule[],
  options: Schedule.ScheduleOptions & { readonly services?: readonly Service.Service[] } = {},
): TestProcess {
  const { services = [server()], ...others } = options;
  const { database } = options;
  const service = Schedule.service(schedules, others);
  const needed = database === undefined ? [] : [database, Migration.service({ database, onPending: "run" })];
  const app = App.create({
    services: [...needed, service, ...services],
    reporters: [{ report: (entry) => void (log.entries as unknown[]).push(entry) }],
  });
  apps.push(app);
  return { app, service, database };
}

async function startProcess(...parameters: Parameters<typeof createProcess>): Promise<TestProcess> {
  const testProcess = createProcess(...parameters);
  await testProcess.app.start();
  await clock.advance(0);
  return testProcess;
}

/** Creates a schedule that records its slots. */
function recordingSchedule(
  definition: Partial<Schedule.IntervalDefinition> = {},
): Schedule.Schedule & { readonly slots: (readonly [slot: Date, at: Date])[] } {
  const slots: (readonly [Date, Date])[] = [];
  const { run: work, ...others } = definition;
  const schedule = Schedule.make({
    name: "notes",
    intervalMs: Time.minutes(1),
    run: (call) => {
      slots.push([call.slot, Time.now()]);
      return work?.(call);
    },
    ...others,
  });
  return { ...schedule, slots };
}

const slotsOf = (schedule: { readonly slots: readonly (readonly [Date, Date])[] }): Date[] =>
  schedule.slots.map(([slot]) => slot);

for (const [name, database] of [
  ["in memory", () => undefined],
  ["on a database", file],
] as const) {
  const options = (): Schedule.ScheduleOptions => {
    const optionalDatabase = database();
    return optionalDatabase === undefined ? {} : { database: optionalDatabase };
  };

  describe(`schedules ${name}`, () => {
    test("run at their slots without drift, and not at the start of the process", async () => {
      const schedule = recordingSchedule({ run: () => Time.sleep(Time.seconds(7)) });
      await clock.advance(Time.seconds(20));
      await startProcess([schedule], options());
      await clock.advance(Time.minutes(100));
      assert.deepEqual(
        schedule.slots,
        Array.from({ length: 100 }, (_, index) => [at(index + 1), at(index + 1)]),
      );
    });

    test("run in the base language, also in a process that a request in another one has started", async () => {
      const languages = Language.make("en", { en: {}, de: {} });
      const seen: string[] = [];
      const schedule = recordingSchedule({ run: () => void seen.push(Language.current()) });
      await languages.run("de", async () => {
        await startProcess([schedule], options());
        await clock.advance(Time.minutes(1));
      });
      assert.deepEqual(seen, ["en"]);
    });

    test("skip slots that become due during a run", async () => {
      const schedule = recordingSchedule({ run: () => Time.sleep(Time.seconds(150)) });
      await startProcess([schedule], options());
      await clock.advance(Time.minutes(10));
      assert.deepEqual(slotsOf(schedule), [at(1), at(4), at(7), at(10)]);
    });

    test("continue after a throw, which is logged, passed to onFailure and recorded", async () => {
      const failures: Schedule.ScheduleFailure[] = [];
      const boom = new Error("no paper\0");
      const schedule = recordingSchedule({ run: ({ slot }) => (slot < at(3) ? Promise.reject(boom) : undefined) });
      const onFailure = (failure: Schedule.ScheduleFailure): void => {
        failures.push(failure);
        throw new Error("no mail");
      };
      const { service } = await startProcess([schedule], { ...options(), onFailure });
      await clock.advance(Time.minutes(3));
      assert.equal(schedule.slots.length, 3);
      assert.deepEqual(failures, [
        { schedule: "notes", slot: at(1), error: boom },
        { schedule: "notes", slot: at(2), error: boom },
      ]);
      const failed = log.entries.filter(({ level }) => level === "error");
      assert.deepEqual(
        failed.map(({ message, fields }) => [message, fields["schedule"]]),
        [1, 2].flatMap(() => [
          ['The schedule "notes" has failed', "notes"],
          ['The `onFailure` callback of the schedule "notes" has failed', "notes"],
        ]),
      );
      const history = await service.history("notes", { limit: 2 });
      assert.deepEqual(
        history.map(({ outcome, error }) => [outcome, error]),
        [
          ["succeeded", null],
          ["failed", "Error: no paper\uFFFD"],
        ],
      );
    });

    test("run once when the clock is set forward, and run no slot twice when it is set back", async () => {
      const schedule = recordingSchedule();
      await startProcess([schedule], options());
      await clock.advance(Time.minutes(2));
      clock.set(at(300));
      await clock.advance(Time.minutes(1));
      assert.deepEqual(slotsOf(schedule), [at(1), at(2), at(301)]);
      clock.set(at(295));
      await clock.advance(Time.minutes(8));
      // The slot of the minute in which the change is detected is skipped.
      const afterChange = [at(297), at(298), at(299), at(300), at(302), at(303)];
      assert.deepEqual(slotsOf(schedule).slice(3), afterChange);
      clock.set(at(-5000));
      await clock.advance(Time.minutes(2));
      assert.deepEqual(slotsOf(schedule).slice(9), [at(-4998)]);
    });

    test("are aborted at shutdown, and the shutdown waits for them", async () => {
      let reason: unknown = "none";
      const schedule = recordingSchedule({
        run: async ({ signal }) => {
          await Time.sleep(Time.hours(1), { signal }).catch((error: unknown) => {
            reason = error;
          });
          await Time.sleep(Time.seconds(5));
          await database()
            ?.health?.()
            .catch(() => {});
        },
      });
      const { app } = await startProcess([schedule], options());
      await clock.advance(Time.minutes(1));
      let isStopped = false;
      const stopping = app.stop().then(() => (isStopped = true));
      await clock.advance(Time.seconds(4));
      assert.ok(isError(reason, "E_SCHEDULE_STOPPED"));
      assert.equal(isStopped, false);
      await clock.advance(Time.seconds(2));
      await stopping;
      assert.equal(log.entries.filter(({ level }) => level === "warning").length, 0);
      await clock.advance(Time.minutes(10));
      assert.equal(schedule.slots.length, 1);
    });

    test("that ignore the abort delay the shutdown by at most ten seconds", async () => {
      const { app } = await startProcess([recordingSchedule({ run: never })], options());
      await clock.advance(Time.minutes(1));
      const stopping = app.stop();
      await clock.advance(Time.seconds(10));
      await stopping;
      assert.ok(log.messages().includes("A schedule still runs: it ignored its abort signal"));
    });

    test("run manually at any time, and rethrow errors", async () => {
      const calls: Schedule.ScheduleCall[] = [];
      const schedule = Schedule.make({
        name: "daily",
        cron: "0 3 * * *",
        run: (call) => {
          calls.push(call);
          if (calls.length > 1) throw new Error("no paper");
        },
      });
      const { service } = await startProcess([schedule], { ...options(), ctx: [["tenant", "red"]] });
      await clock.advance(Time.minutes(5));
      await service.pause("daily");
      await service.runNow("daily");
      assert.deepEqual([calls[0]?.slot, calls[0]?.ctx], [at(5), [["tenant", "red"]]]);
      await clock.advance(1000);
      await assert.rejects(service.runNow("daily"), { message: "no paper" });
      await assert.rejects(service.runNow("dayly"), { code: "E_SCHEDULE_UNKNOWN", message: /Known: daily/ });
      const history = await service.history("daily");
      assert.deepEqual(
        history.map(({ slot, outcome }) => [slot, outcome]),
        [
          [null, "failed"],
          [null, "succeeded"],
        ],
      );
    });

    test("end whatever they throw", async () => {
      const odd = [
        Object.create(null),
        Object.assign(new Error("x"), { message: Symbol("m") }),
        {
          toString: () => {
            throw new Error("y");
          },
        },
      ];
      const schedule = recordingSchedule({
        run: () => {
          throw odd.pop();
        },
      });
      const { service } = await startProcess([schedule], options());
      for (let count = 0; count < 3; count++) await service.runNow("notes").catch(() => {});
      assert.deepEqual(
        (await service.history("notes"))
          .map(({ outcome, error }) => [outcome, error ?? ""] as const)
          // The runs have the same start time, so their order is not defined.
          .sort(([, a], [, b]) => a.localeCompare(b, "en")),
        [
          ["failed", "[Object: null prototype] {}"],
          ["failed", "{ toString: [Function: toString] }"],
          ["failed", "A value was thrown that cannot be read"],
        ],
      );
    });

    test("do not run manually during a run", async () => {
      const { service } = await startProcess([recordingSchedule({ run: never })], options());
      await clock.advance(Time.minutes(1));
      await assert.rejects(service.runNow("notes"), { code: "E_SCHEDULE_RUNNING" });
    });

    test("skip slots while they are paused", async () => {
      const schedule = recordingSchedule();
      const { service } = await startProcess([schedule], options());
      await service.pause("notes");
      await clock.advance(Time.minutes(3));
      await service.resume("notes");
      await clock.advance(Time.minutes(1));
      assert.deepEqual(slotsOf(schedule), [at(4)]);
      await assert.rejects(service.pause("none"), { code: "E_SCHEDULE_UNKNOWN" });
    });
  });
}

suite("with a database", () => {
  test("one of three processes runs each slot", async () => {
    const schedules = [recordingSchedule(), recordingSchedule(), recordingSchedule()];
    for (const schedule of schedules) await startProcess([schedule], { database: file() });
    await clock.advance(Time.minutes(200));
    assert.deepEqual(
      schedules.flatMap(slotsOf).sort((a, b) => a.getTime() - b.getTime()),
      Array.from({ length: 200 }, (_, index) => at(index + 1)),
    );
  });

  test("slots missed while all processes were down run once", async () => {
    const schedule = recordingSchedule();
    const first = await startProcess([schedule], { database: file() });
    await clock.advance(Time.minutes(2));
    await first.app.stop();
    await clock.advance(Time.minutes(100) + Time.seconds(30));
    await startProcess([schedule], { database: file() });
    assert.deepEqual(schedule.slots, [
      [at(1), at(1)],
      [at(2), at(2)],
      [at(102), new Date(at(102).getTime() + 30_000)],
    ]);
    await clock.advance(Time.minutes(1));
    assert.deepEqual(slotsOf(schedule).slice(3), [at(103)]);
  });

  test("the run of a killed process is lost, and the next slot runs in another process", async () => {
    const endless = recordingSchedule({ run: never });
    const first = await startProcess([endless], { database: file() });
    await clock.advance(Time.minutes(1));
    // Simulates a killed process: without its database it cannot renew the lease.
    await first.database?.stop();
    const schedule = recordingSchedule();
    const second = await startProcess([schedule], { database: file() });
    await clock.advance(Time.minutes(2));
    assert.deepEqual(slotsOf(schedule), [at(2), at(3)]);
    assert.deepEqual(
      (await second.service.history("notes")).map(({ outcome }) => outcome),
      ["succeeded", "succeeded", "lost"],
    );
  });

  test("a run whose lease cannot be renewed is aborted before another can start", async () => {
    let reason: unknown = "none";
    let ended: Date | undefined;
    const schedule = recordingSchedule({
      run: ({ signal }) =>
        Time.sleep(Time.hours(1), { signal }).catch((error: unknown) => {
          reason = error;
          ended = Time.now();
        }),
    });
    const { database } = await startProcess([schedule], { database: file() });
    await clock.advance(Time.seconds(75));
    assert.equal(reason, "none");
    await database?.exec(sql`update schedule_state set run_id = null`);
    await clock.advance(Time.seconds(15));
    assert.ok(isError(reason, "E_SCHEDULE_CLAIM_LOST"));
    assert.ok(ended !== undefined && ended <= new Date(at(1).getTime() + 30_000));
  });

  test("a run whose database stops responding is aborted before another can start", async () => {
    const silence = Promise.withResolvers<boolean>();
    const store: ScheduleStore = { ...memoryStore(), renewLease: () => silence.promise };
    let ended: Date | undefined;
    const schedule = recordingSchedule({
      run: ({ signal }) => Time.sleep(Time.hours(1), { signal }).catch(() => void (ended = Time.now())),
    });
    const lease = await store.claim(schedule, at(0), {});
    assert.ok(lease !== undefined);
    // The claim took four seconds.
    clock.set(new Date(at(0).getTime() + 4000));
    const { signal } = new AbortController();
    const executed = executeRun(schedule, lease, { store, ctx: [], signal, onFailure: undefined });
    await clock.advance(Time.seconds(30));
    await executed;
    assert.deepEqual(ended, new Date(at(0).getTime() + 30_000));
    silence.resolve(false);
  });

  test("a stop while the database answers is no outage", async () => {
    const register: ScheduleStore["register"] = (_, options) =>
      new Promise((__, reject) => {
        const { signal } = options as { readonly signal?: AbortSignal };
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const controller = new AbortController();
    const context = { store: { ...memoryStore(), register }, ctx: [], signal: controller.signal, onFailure: undefined };
    const loop = runAtSlots(recordingSchedule(), context);
    controller.abort(new Error("stopped"));
    await loop;
    assert.deepEqual(log.messages(), []);
  });

  test("a lease is renewed during a run", async () => {
    const long = recordingSchedule({ run: () => Time.sleep(Time.seconds(1830)) });
    await startProcess([long], { database: file() });
    const other = recordingSchedule();
    await startProcess([other], { database: file() });
    await clock.advance(Time.minutes(30));
    assert.deepEqual([slotsOf(long), slotsOf(other)], [[at(1)], []]);
    await clock.advance(Time.minutes(2));
    assert.deepEqual([slotsOf(long).length + slotsOf(other).length], [2]);
  });

  test("a slot waits for an unavailable database, and one error is logged", async () => {
    const schedule = recordingSchedule();
    const { database } = await startProcess([schedule], { database: file() });
    await clock.advance(Time.minutes(1));
    await database?.exec(sql`alter table schedule_state rename to away`);
    await clock.advance(Time.seconds(90));
    assert.equal(schedule.slots.length, 1);
    assert.deepEqual(
      log.messages().filter((message) => message.includes("waits for its database")),
      ['The schedule "notes" waits for its database'],
    );
    await database?.exec(sql`alter table away rename to schedule_state`);
    await clock.advance(Time.seconds(5));
    assert.deepEqual(slotsOf(schedule), [at(1), at(2)]);
  });

  test("emptied tables are filled again", async () => {
    const schedule = recordingSchedule();
    const { database } = await startProcess([schedule], { database: file() });
    await clock.advance(Time.minutes(1));
    await database?.exec(sql`delete from schedule_state`);
    await clock.advance(Time.minutes(2));
    assert.deepEqual(slotsOf(schedule), [at(1), at(3)]);
  });
});

suite("schedules run", () => {
  test("only in processes that run the server", async () => {
    const schedule = recordingSchedule();
    await startProcess([schedule], { services: [] });
    await clock.advance(Time.minutes(5));
    assert.equal(schedule.slots.length, 0);
  });

  test("not if SCHEDULE_RUN is false, its default in tests", async () => {
    for (const value of ["false", ""]) {
      Configuration.store([["SCHEDULE_RUN", value]]);
      const schedule = recordingSchedule();
      await startProcess([schedule]);
      await clock.advance(Time.minutes(5));
      assert.equal(schedule.slots.length, 0);
    }
  });

  test("after their dependencies, which need not be listed", async () => {
    const states: string[] = [];
    const printer = Service.make({
      name: "printer",
      start: () => void states.push("start"),
      stop: () => void states.push("stop"),
    });
    const schedule = recordingSchedule({ dependencies: () => [printer], run: () => void states.push("run") });
    const { app } = await startProcess([schedule]);
    await clock.advance(Time.minutes(1));
    await app.stop();
    assert.deepEqual(states, ["start", "run", "stop"]);
  });

  test("only under unique names", () => {
    assert.throws(() => Schedule.service([recordingSchedule(), recordingSchedule()]), {
      code: "E_SCHEDULE_NAME_TAKEN",
    });
  });
});

suite("commands", () => {
  const daily = (work: Schedule.ScheduleFunction = () => {}): Schedule.Schedule =>
    Schedule.make({
      name: "reports.daily",
      description: "Reports",
      cron: "0 3 * * *",
      timeZone: "Europe/Zurich",
      run: work,
    });

  test("schedule.list shows the next slot and the last run", async () => {
    const printer = Service.make({ name: "printer", start: () => assert.fail("no service is needed") });
    const { app } = createProcess([daily(), recordingSchedule({ dependencies: () => [printer] })]);
    const { stdout } = await runCommand(app, "schedule.list");
    assert.deepEqual(stdout.split("\n"), [
      "NAME           DUE                        NEXT                      LAST",
      "notes          every 1m                   2030-01-01T00:01:00.000Z  not yet",
      "reports.daily  0 3 * * * (Europe/Zurich)  2030-01-01T02:00:00.000Z  not yet",
    ]);
    assert.equal((await runCommand(createProcess([]).app, "schedule.list")).stdout, "There are no schedules.");
    assert.equal((await runCommand(app, "schedule.list", "more")).code, 2);
  });

  test("schedule.list --json prints JSON", async () => {
    const { app, service } = createProcess([daily()], { database: file() });
    await app.start();
    await service.runNow("reports.daily");
    await app.stop();
    const { stdout } = await runCommand(app, "schedule.list", "--json");
    const [status] = JSON.parse(stdout) as Schedule.ScheduleStatus[];
    assert.deepEqual(
      { ...status, last: status?.last?.outcome },
      {
        name: "reports.daily",
        description: "Reports",
        timing: "0 3 * * * (Europe/Zurich)",
        next: ["2030-01-01T02:00:00.000Z", "2030-01-02T02:00:00.000Z", "2030-01-03T02:00:00.000Z"],
        isPaused: false,
        last: "succeeded",
      },
    );
  });

  test("schedule.list removes control characters from errors, which could command the terminal", async () => {
    const failing = recordingSchedule({
      run: () => {
        throw new Error("a\u001b]0;title\u0007\u001b[2J\u009b31mb\r\nc");
      },
    });
    const { app, service } = await startProcess([failing], { database: file() });
    await service.runNow("notes").catch(() => {});
    const printed: string[] = [];
    const terminal = { print: (line = "") => void printed.push(line), note: () => {}, isTerminal: true };
    assert.equal(
      await app.run(["schedule.list"], { ...makeTestHost(), output: { ...makeTestHost().output, ...terminal } }),
      0,
    );
    assert.match(printed[1] ?? "", /Error: a \]0;title \[2J 31mb c$/);
  });

  test("schedule.run runs one schedule with its dependencies", async () => {
    const states: string[] = [];
    const recordingService = (name: string): Service.Service =>
      Service.make({
        name,
        start: () => void states.push(`start ${name}`),
        stop: () => void states.push(`stop ${name}`),
      });
    const printer = recordingService("printer");
    const { app } = createProcess(
      [recordingSchedule({ dependencies: () => [printer], run: () => void states.push("run") })],
      {
        services: [recordingService("token"), server()],
      },
    );
    const { stdout, code } = await runCommand(app, "schedule.run", "notes");
    assert.deepEqual([stdout, code], ['Ran "notes" in 0ms.', 0]);
    assert.deepEqual(states.splice(0), ["start printer", "run", "stop printer"]);
    assert.equal((await runCommand(app, "schedule.run")).code, 2);
    const unknown = await runCommand(app, "schedule.run", "nots");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no schedule "nots"/);
  });

  test("schedule.run fails if the run fails", async () => {
    const { app } = createProcess([daily(() => Promise.reject(new Error("no paper")))]);
    const { code, stderr } = await runCommand(app, "schedule.run", "reports.daily");
    assert.equal(code, 1);
    assert.match(stderr, /no paper/);
  });

  test("schedule.pause and schedule.resume apply to all processes, and need a database", async () => {
    assert.equal((await runCommand(createProcess([daily()]).app, "schedule.pause", "reports.daily")).code, 2);
    const schedule = recordingSchedule();
    const elsewhere = await startProcess([schedule], { database: file() });
    const { app } = createProcess([recordingSchedule()], { database: file() });
    assert.equal((await runCommand(app, "schedule.pause", "notes")).stdout, '"notes" is paused.');
    assert.match((await runCommand(app, "schedule.list")).stdout, /notes .*paused/);
    await clock.advance(Time.minutes(2));
    assert.equal(schedule.slots.length, 0);
    assert.equal((await runCommand(app, "schedule.resume", "notes")).stdout, '"notes" runs again when it is due.');
    await clock.advance(Time.minutes(1));
    assert.deepEqual(slotsOf(schedule), [at(3)]);
    assert.equal((await elsewhere.service.list())[0]?.last?.outcome, "succeeded");
    assert.equal((await runCommand(app, "schedule.pause")).code, 2);
    assert.equal((await runCommand(app, "schedule.pause", "none")).code, 1);
  });

  test("the health check warns that schedules without a database run in every process", () => {
    const findings = (service: Service.Service): unknown => service.check?.({ environment: "production" });
    assert.match(JSON.stringify(findings(Schedule.service([daily()]))), /once in every process/);
    assert.deepEqual(findings(Schedule.service([daily()], { database: file() })), []);
  });
});
