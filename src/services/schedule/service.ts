import { Cleaner } from "../../cleaner/index.ts";
import { type ContextOptions, Service } from "../../core/index.ts";
import type { Migration } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { collect, find } from "./collect.ts";
import { commands } from "./commands.ts";
import type { Schedule, ScheduleOptions, ScheduleService } from "./contract.ts";
import { errors } from "./errors.ts";
import { migrations } from "./migrations.ts";
import { settings } from "./settings.ts";
import { statusOf } from "./status.ts";
import { openStore } from "./store.ts";

const log = Log.source("limmat.schedule");
const longestStop = Time.seconds(10);

/**
 * Makes the service that runs schedules, and the commands `schedule.list` and `schedule.run`, with a database also
 * `schedule.pause` and `schedule.resume`.
 *
 * Schedules run in processes that start the server, not in those that run other commands, and not where `SCHEDULE_RUN`
 * is false, as it is by default in the environment `test`.
 *
 * @throws E_SCHEDULE_NAME_TAKEN; when it starts also for the schedules of other services.
 *
 * @example
 * App.create({ services: [database, migration, Schedule.service(schedules, { database }), http] });
 */
export function service(
  own: readonly Schedule[],
  options: ScheduleOptions = {},
): ScheduleService & { readonly migrations: readonly Migration.Migration[] } {
  const { database, ctx = [], onFailure } = options;
  const needed = database === undefined ? [] : [database];
  const running = new Set<Promise<unknown>>();
  let opening: ReturnType<typeof openStore> | undefined;
  let schedules = collect(own, []);
  let stopping = new AbortController();
  let unregister: (() => void) | undefined;

  const withContext = (called: ContextOptions | undefined): Required<ContextOptions> => ({ ctx: called?.ctx ?? ctx });

  // The store, and what runs schedules, are loaded when they are needed: most starts never do (docs/decisions/008).
  const opened = (): ReturnType<typeof openStore> => (opening ??= openStore(database));

  /** Remembers what runs, so that `stop` waits for it. */
  const track = <T>(run: Promise<T>): Promise<T> => {
    const settled = run.then(
      () => void running.delete(settled),
      () => void running.delete(settled),
    );
    running.add(settled);
    return run;
  };

  const made: ScheduleService = {
    ...Service.make({
      name: "schedule",
      implementation: database === undefined ? "memory" : "sql",
      dependencies: () => [...new Set([...needed, ...own.flatMap((schedule) => schedule.dependencies())])],
      configuration: settings.fields,
      start: ({ services }) => {
        schedules = collect(own, services);
        stopping = new AbortController();
        unregister = Cleaner.register("schedule", async () => (await opening)?.clear?.());
      },
      ready: async ({ services }) => {
        const hasServer = services.some(({ fetch }) => fetch !== undefined);
        if (!hasServer || !settings.read().isRun) return;
        const { loop } = await import("./loop.ts");
        const around = { store: await opened(), ctx, signal: stopping.signal, onFailure };
        for (const schedule of schedules.values()) void track(loop(schedule, around));
      },
      drain: async () => {
        stopping.abort(errors.E_SCHEDULE_STOPPED());
        const waiting = new AbortController();
        const ended = Promise.all(running).then(() => waiting.abort());
        await Promise.race([ended, Time.sleep(longestStop, { signal: waiting.signal }).catch(() => {})]);
        if (running.size > 0) log.warning("A schedule still runs: it did not heed its signal", { runs: running.size });
      },
      stop: () => unregister?.(),
      check: () =>
        database !== undefined || schedules.size === 0
          ? []
          : [
              {
                level: "warning",
                message: "Schedules run once in every process",
                advice: "Give the schedule service a database, so that one process runs each slot.",
              },
            ],
    }),
    list: async (called) => statusOf([...schedules.values()], await opened(), withContext(called)),
    history: async (name, called) => {
      const { name: known } = find(schedules, name);
      return (await opened()).history(known, called?.limit ?? 20, withContext(called));
    },
    runNow: async (name, called) => {
      const schedule = find(schedules, name);
      const context = withContext(called);
      const { execute } = await import("./run.ts");
      const store = await opened();
      await store.open(schedule, context);
      const claim = await store.claim(schedule, null, context);
      if (claim === undefined) throw errors.E_SCHEDULE_RUNNING(name);
      const signals = [stopping.signal, ...(called?.signal === undefined ? [] : [called.signal])];
      const around = { store, ...context, signal: AbortSignal.any(signals), onFailure };
      const ended = await track(execute(schedule, claim, around));
      if (ended.hasFailed) throw ended.error;
    },
    pause: async (name, called) => (await opened()).setPaused(find(schedules, name), true, withContext(called)),
    resume: async (name, called) => (await opened()).setPaused(find(schedules, name), false, withContext(called)),
  };

  const prepare = (services: readonly Service.Service[]): ReadonlyMap<string, Schedule> =>
    (schedules = collect(own, services));
  return {
    ...made,
    commands: commands(made, { needed, prepare, canPause: database !== undefined }),
    migrations: database === undefined ? [] : migrations,
  };
}
