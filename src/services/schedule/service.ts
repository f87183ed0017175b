import { Cleaner } from "../../cleaner/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { background, type ContextOptions, isServer, Service } from "../../core/index.ts";
import type { MigratedService } from "../../migration/index.ts";
import { Log } from "../../log/index.ts";
import { settlesWithin, Time } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { Schedule, ScheduleOptions, ScheduleService, ScheduleStatus } from "./contract.ts";
import { executeRun, runAtSlots } from "./engine/run.ts";
import { errors } from "./errors.ts";
import { memoryStore } from "./store/memory.ts";
import { migrations, sqlStore } from "./store/sql.ts";

const log = Log.source("limmat.schedule");
const defaultHistoryLimit = 20;
const maxNextSlots = 3;
const maxDrainMs = Time.seconds(10);

/**
 * Creates the service that runs schedules, with the commands `schedule.list` and `schedule.run`, and with a database also
 * `schedule.pause` and `schedule.resume`.
 *
 * Schedules run in processes that run the server, not for other commands, and not if `SCHEDULE_RUN` is false, its
 * default in the environment `test`.
 *
 * @throws E_SCHEDULE_NAME_TAKEN
 *
 * @example
 * App.create({ services: [database, migration, Schedule.service(schedules, { database }), http] });
 */
export function service(
  applicationSchedules: readonly Schedule[],
  options: ScheduleOptions = {},
): ScheduleService & MigratedService {
  const { database, ctx = [], onFailure } = options;
  const storeServices = database === undefined ? [] : [database];
  const runs = new Set<Promise<unknown>>();
  const store = database === undefined ? memoryStore() : sqlStore(database);
  const schedules = new Map<string, Schedule>();
  for (const schedule of applicationSchedules) {
    if (schedules.has(schedule.name)) throw errors.E_SCHEDULE_NAME_TAKEN(schedule.name);
    schedules.set(schedule.name, schedule);
  }
  let shutdown = new AbortController();

  const withContext = (callOptions: ContextOptions | undefined): Required<ContextOptions> => ({
    ctx: callOptions?.ctx ?? ctx,
  });

  const findSchedule = (name: string): Schedule => {
    const schedule = schedules.get(name);
    if (schedule === undefined) throw errors.E_SCHEDULE_UNKNOWN(name, [...schedules.keys()].sort());
    return schedule;
  };

  /** Tracks a run, so that `drain` waits for it. */
  const track = <T>(run: Promise<T>): Promise<T> => {
    const settled: Promise<unknown> = run.catch(() => {}).finally(() => runs.delete(settled));
    runs.add(settled);
    return run;
  };

  const setPaused = async (name: string, isPaused: boolean, callOptions?: ContextOptions): Promise<void> => {
    await store.setPaused(findSchedule(name), isPaused, withContext(callOptions));
  };

  const scheduleService: ScheduleService & MigratedService = {
    ...Service.make({
      name: "schedule",
      implementation: database === undefined ? "memory" : "sql",
      dependencies: () => [
        ...new Set([...storeServices, ...applicationSchedules.flatMap((schedule) => schedule.dependencies())]),
      ],
      configuration: scheduleSettings.fields,
      commands: createCommands(() => scheduleService, schedules, storeServices),
      ...background(() => {
        shutdown = new AbortController();
        return [Cleaner.register("schedule", () => store.clear?.(), { isInMemory: database === undefined })];
      }),
      ready: async ({ services }) => {
        if (!services.some(isServer) || !scheduleSettings.read().shouldRunSchedules) return;
        const context = { store, ctx, signal: shutdown.signal, onFailure };
        for (const schedule of schedules.values()) void track(runAtSlots(schedule, context));
      },
      drain: async () => {
        shutdown.abort(errors.E_SCHEDULE_STOPPED());
        if (await settlesWithin(Promise.all(runs), maxDrainMs)) return;
        log.warning("A schedule still runs: it ignored its abort signal", { runs: runs.size });
      },
      check: () => (database === undefined && schedules.size > 0 ? [unsharedFinding] : []),
    }),
    list: async (callOptions) => {
      const contextOptions = withContext(callOptions);
      const pausedNames = await store.pausedNames(contextOptions);
      const statuses = schedules.values().map(async (schedule): Promise<ScheduleStatus> => {
        const { name, description, timing } = schedule;
        const [last] = await store.history(name, 1, contextOptions);
        return { name, description, timing, next: nextSlots(schedule), isPaused: pausedNames.has(name), last };
      });
      return (await Promise.all(statuses)).sort((left, right) => (left.name < right.name ? -1 : 1));
    },
    history: async (name, callOptions) => {
      const limit = callOptions?.limit ?? defaultHistoryLimit;
      return store.history(findSchedule(name).name, limit, withContext(callOptions));
    },
    runNow: async (name, callOptions) => {
      const schedule = findSchedule(name);
      const contextOptions = withContext(callOptions);
      await store.register(schedule, contextOptions);
      const lease = await store.claim(schedule, null, contextOptions);
      if (lease === undefined) throw errors.E_SCHEDULE_RUNNING(name);
      const signals = [shutdown.signal, ...(callOptions?.signal === undefined ? [] : [callOptions.signal])];
      const context = { store, ...contextOptions, signal: AbortSignal.any(signals), onFailure };
      const result = await track(executeRun(schedule, lease, context));
      if (result.hasFailed) throw result.error;
    },
    pause: (name, callOptions) => setPaused(name, true, callOptions),
    resume: (name, callOptions) => setPaused(name, false, callOptions),
    migrations: database === undefined ? [] : migrations,
  };
  return scheduleService;
}

function nextSlots({ next }: Schedule): readonly Date[] {
  const slots: Date[] = [];
  for (let slot = next(Time.now()); slot !== undefined && slots.length < maxNextSlots; slot = next(slot)) {
    slots.push(slot);
  }
  return slots;
}

const unsharedFinding: Service.Finding = {
  level: "warning",
  message: "Schedules run once in every process",
  advice: "Give the schedule service a database, so that one process runs each slot.",
};

/** Configuration of schedules. */
const scheduleSettings: Configuration.Group<{
  readonly shouldRunSchedules: ConfigurationField<boolean>;
}> = Configuration.group({
  shouldRunSchedules: Configuration.bool("SCHEDULE_RUN", {
    description: "true to run the schedules in a process that runs the server",
    default: (environment) => environment !== "test",
  }),
});
