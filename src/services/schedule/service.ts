import { Cleaner } from "../../cleaner/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { type ContextOptions, lazy, Service } from "../../core/index.ts";
import type { Database, Migration } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { settlesWithin, Time } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { Schedule, ScheduleOptions, ScheduleService } from "./contract.ts";
import { errors } from "./errors.ts";
import { findSchedule, schedulesByName } from "./schedule.ts";
import type { ScheduleStore } from "./store/contract.ts";
import { migrations } from "./store/sql/migrations.ts";

const log = Log.source("limmat.schedule");
const defaultHistoryLimit = 20;
const maxDrainMs = Time.seconds(10);
// Loaded on first use, because most commands run no schedule (docs/decisions/017).
const loadEngine = lazy(() => import("./engine/run.ts"));

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
): ScheduleService & { readonly migrations: readonly Migration.Migration[] } {
  const { database, ctx = [], onFailure } = options;
  const storeServices = database === undefined ? [] : [database];
  const runs = new Set<Promise<unknown>>();
  let opening: Promise<ScheduleStore> | undefined;
  const schedules = schedulesByName(applicationSchedules);
  let shutdown = new AbortController();
  let unregister: (() => void) | undefined;

  const withContext = (callOptions: ContextOptions | undefined): Required<ContextOptions> => ({
    ctx: callOptions?.ctx ?? ctx,
  });

  // A store is loaded on first use, because most commands use none (docs/decisions/017).
  const openStore = (): Promise<ScheduleStore> => (opening ??= loadStore(database));

  /** Tracks a run, so that `drain` waits for it. */
  const track = <T>(run: Promise<T>): Promise<T> => {
    const settled = run.then(
      () => void runs.delete(settled),
      () => void runs.delete(settled),
    );
    runs.add(settled);
    return run;
  };

  const setPaused = async (name: string, isPaused: boolean, callOptions?: ContextOptions): Promise<void> => {
    const store = await openStore();
    await store.setPaused(findSchedule(schedules, name), isPaused, withContext(callOptions));
  };

  const scheduleService: ScheduleService = {
    ...Service.make({
      name: "schedule",
      implementation: database === undefined ? "memory" : "sql",
      dependencies: () => [
        ...new Set([...storeServices, ...applicationSchedules.flatMap((schedule) => schedule.dependencies())]),
      ],
      configuration: scheduleSettings.fields,
      start: () => {
        shutdown = new AbortController();
        unregister = Cleaner.register("schedule", async () => (await opening)?.clear?.());
      },
      ready: async ({ services }) => {
        const hasServer = services.some(({ fetch }) => fetch !== undefined);
        if (!hasServer || !scheduleSettings.read().shouldRunSchedules) return;
        const [{ runAtSlots }, store] = await Promise.all([loadEngine(), openStore()]);
        const context = { store, ctx, signal: shutdown.signal, onFailure };
        for (const schedule of schedules.values()) void track(runAtSlots(schedule, context));
      },
      drain: async () => {
        shutdown.abort(errors.E_SCHEDULE_STOPPED());
        if (await settlesWithin(Promise.all(runs), maxDrainMs)) return;
        log.warning("A schedule still runs: it ignored its abort signal", { runs: runs.size });
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
    list: async (callOptions) => {
      const { listStatuses } = await import("./engine/status.ts");
      return listStatuses([...schedules.values()], await openStore(), withContext(callOptions));
    },
    history: async (name, callOptions) => {
      const schedule = findSchedule(schedules, name);
      const limit = callOptions?.limit ?? defaultHistoryLimit;
      return (await openStore()).history(schedule.name, limit, withContext(callOptions));
    },
    runNow: async (name, callOptions) => {
      const schedule = findSchedule(schedules, name);
      const contextOptions = withContext(callOptions);
      const { executeRun } = await loadEngine();
      const store = await openStore();
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
  };

  return {
    ...scheduleService,
    commands: createCommands(scheduleService, { storeServices, schedules, canPause: database !== undefined }),
    migrations: database === undefined ? [] : migrations,
  };
}

async function loadStore(database: Database | undefined): Promise<ScheduleStore> {
  if (database === undefined) return (await import("./store/memory/memory-store.ts")).memoryStore();
  return (await import("./store/sql/sql-store.ts")).sqlStore(database);
}

/** Configuration of schedules. */
const scheduleSettings: Configuration.Group<{
  readonly shouldRunSchedules: ConfigurationField<boolean>;
}> = Configuration.group({
  shouldRunSchedules: Configuration.bool("SCHEDULE_RUN", {
    description: "true to run the schedules in a process that runs the server",
    default: (environment) => environment !== "test",
  }),
});
