import { Cleaner } from "../../cleaner/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { background, type ContextOptions, isServer, Service } from "../../core/index.ts";
import type { MigratedService } from "../../migration/index.ts";
import { Log } from "../../log/index.ts";
import { settlesWithin, Time } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { Schedule, ScheduleOptions, ScheduleService } from "./contract.ts";
import { executeRun, runAtSlots } from "./engine/run.ts";
import { listStatuses } from "./engine/status.ts";
import { errors } from "./errors.ts";
import { findSchedule, schedulesByName } from "./schedule.ts";
import { memoryStore } from "./store/memory/memory-store.ts";
import { migrations } from "./store/sql/migrations.ts";
import { sqlStore } from "./store/sql/sql-store.ts";

const log = Log.source("limmat.schedule");
const defaultHistoryLimit = 20;
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
  const schedules = schedulesByName(applicationSchedules);
  let shutdown = new AbortController();

  const withContext = (callOptions: ContextOptions | undefined): Required<ContextOptions> => ({
    ctx: callOptions?.ctx ?? ctx,
  });

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
      ...background(() => {
        shutdown = new AbortController();
        return [Cleaner.register("schedule", () => store.clear?.())];
      }),
      ready: async ({ services }) => {
        const hasServer = services.some(isServer);
        if (!hasServer || !scheduleSettings.read().shouldRunSchedules) return;
        const context = { store, ctx, signal: shutdown.signal, onFailure };
        for (const schedule of schedules.values()) void track(runAtSlots(schedule, context));
      },
      drain: async () => {
        shutdown.abort(errors.E_SCHEDULE_STOPPED());
        if (await settlesWithin(Promise.all(runs), maxDrainMs)) return;
        log.warning("A schedule still runs: it ignored its abort signal", { runs: runs.size });
      },
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
    list: (callOptions) => listStatuses([...schedules.values()], store, withContext(callOptions)),
    history: async (name, callOptions) => {
      const schedule = findSchedule(schedules, name);
      const limit = callOptions?.limit ?? defaultHistoryLimit;
      return store.history(schedule.name, limit, withContext(callOptions));
    },
    runNow: async (name, callOptions) => {
      const schedule = findSchedule(schedules, name);
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
  };

  return {
    ...scheduleService,
    commands: createCommands(scheduleService, { storeServices, schedules, canPause: database !== undefined }),
    migrations: database === undefined ? [] : migrations,
  };
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
