import { Cleaner } from "../../cleaner/index.ts";
import { type CancellableOptions, type ContextOptions, lazy, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { startPeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { DispatchOptions, JobDefinition, JobQuery, JobRecord, Queue } from "./contract.ts";
import { createJobs } from "./engine/dispatch.ts";
import { JobRegistry } from "./engine/job-registry.ts";
import type { Worker } from "./engine/worker.ts";
import { errors } from "./errors.ts";
import { queueSettings, shutdownGraceMs } from "./settings.ts";
import { finalStatuses, jobStatuses, type QueueStore, type QueueStoreSource } from "./store/contract.ts";

/** Options of a queue with any store. */
export interface QueueOptions {
  /** Returns the job definitions of the application. A function, so that modules may refer to each other. */
  readonly jobs?: () => readonly JobDefinition[];
}

const log = Log.source("limmat.queue");
const purgeIntervalMs = Time.minutes(10);
const loadMonitoring = lazy(() => import("./engine/monitoring.ts"));

/** Creates a queue on a store. For authors of stores. */
export function makeQueue(store: QueueStore, options: QueueOptions = {}): Queue {
  const { implementation } = store;
  return queueOn({ implementation, dependencies: () => store.dependencies(), open: async () => store }, options);
}

/** Creates a queue on a store that is opened on first use. */
export function queueOn(source: QueueStoreSource, { jobs = () => [] }: QueueOptions = {}): Queue {
  const registry = new JobRegistry();
  let worker: Worker | undefined;
  let stopPurging: (() => Promise<void>) | undefined;
  let unregister: (() => void) | undefined;

  // The store and the worker are loaded on first use: 50 kB that most commands do not need (docs/decisions/017).
  const openStore = lazy(() => source.open());

  const register = (...definitions: readonly JobDefinition[]): void => {
    definitions.forEach((definition) => registry.add(definition));
    worker?.wake();
  };

  const purgeOldJobs = async (options: CancellableOptions): Promise<void> => {
    const { keepMs, keepFailedMs } = queueSettings.read();
    const before = (ageMs: number): Date => new Date(TimeInternals.timestamp() - ageMs);
    const store = await openStore();
    const endedCount = await store.purge(["succeeded", "cancelled"], before(keepMs), options);
    const failedCount = await store.purge(["failed"], before(keepFailedMs), options);
    if (endedCount + failedCount > 0) log.info("Old jobs are deleted", { jobs: endedCount + failedCount });
  };

  const startWorker = async (only?: readonly string[]): Promise<void> => {
    const unknownNames = only?.filter((name) => registry.findOpt(name) === undefined) ?? [];
    if (unknownNames.length > 0) throw errors.E_QUEUE_JOB_NAME(unknownNames, registry.names);
    const { concurrency } = queueSettings.read();
    const module = await import("./engine/worker.ts");
    const store = await openStore();
    const startPurging = (): void => {
      stopPurging = (store.startPeriodicTask ?? startPeriodicTask)({
        intervalMs: purgeIntervalMs,
        runsAtOnce: true,
        run: purgeOldJobs,
        onError: (error) => log.error("Old jobs could not be deleted", { error }),
      });
    };
    const options = { store, registry, concurrency, ...(only === undefined ? {} : { only }) };
    const started = new module.Worker({ ...options, onReached: () => worker === started && startPurging() });
    worker = started;
    worker.start();
  };

  const drain = async (): Promise<void> => {
    const endingWorker = worker;
    worker = undefined;
    await Promise.all([stopPurging?.(), endingWorker?.end(shutdownGraceMs())]);
    stopPurging = undefined;
  };

  const dispatchAll = async <Input>(
    definition: JobDefinition<Input, unknown>,
    inputs: readonly Input[],
    options: DispatchOptions = {},
  ): Promise<readonly string[]> => {
    registry.checkDispatch(definition);
    if (inputs.length === 0) return [];
    const newJobs = await createJobs(definition, inputs, options);
    const store = await openStore();
    const ids = await store.insert(newJobs, options);
    store.afterCommit(() => worker?.wake());
    return ids;
  };

  const findOpt = async (id: string, options: ContextOptions = {}): Promise<JobRecord | undefined> =>
    (await openStore()).findOpt(id, options);

  const queue: Queue = {
    ...Service.make({
      name: "queue",
      implementation: source.implementation,
      dependencies: source.dependencies,
      configuration: queueSettings.fields,
      start: () => {
        register(...jobs());
        unregister = Cleaner.register("queue", async (options) => (await openStore()).clean?.(options));
      },
      ready: async ({ services }) => {
        const hasServer = services.some(({ fetch }) => fetch !== undefined);
        if (hasServer && queueSettings.read().shouldRunJobs) await startWorker();
      },
      drain,
      stop: async () => {
        unregister?.();
        await drain();
      },
      check: async () => (await loadMonitoring()).checkQueue(await openStore(), registry),
      measure: async () => (await loadMonitoring()).measureQueue(await openStore(), registry),
    }),
    commands: [],
    register,
    dispatch: async (definition, ...rest) => {
      const [input, options] = rest;
      const [id] = await dispatchAll(definition as JobDefinition, [input], options);
      return id as string;
    },
    dispatchAll,
    find: async (id, options) => {
      const job = await findOpt(id, options);
      if (job === undefined) throw errors.E_QUEUE_JOB_UNKNOWN();
      return job;
    },
    findOpt,
    search: async (query = {}, options = {}) => {
      checkQuery(query);
      return (await openStore()).search(query, options);
    },
    counts: async (options = {}) => (await openStore()).counts(options),
    cancel: async (id, options = {}) => {
      const store = await openStore();
      const isCancelled = await store.cancel(id, options);
      if (isCancelled) store.afterCommit(() => worker?.cancel(id));
      return isCancelled;
    },
    requeue: async (id, options = {}) => {
      const store = await openStore();
      const isRequeued = await store.requeue(id, options);
      if (isRequeued) store.afterCommit(() => worker?.wake());
      return isRequeued;
    },
    purge: async (options = {}) => {
      const { olderThanMs = 0, statuses = finalStatuses } = options;
      const before = new Date(TimeInternals.timestamp() - olderThanMs);
      return (await openStore()).purge(statuses, before, options);
    },
    runDue: async (options = {}) => {
      const { runDueJobs } = await import("./engine/run-due.ts");
      return runDueJobs(await openStore(), registry, options);
    },
  };
  return Object.assign(queue, { commands: createCommands(queue, startWorker) });
}

const maxTextLength = 256;

/**
 * Checks a query.
 *
 * @throws E_QUEUE_QUERY (400)
 */
function checkQuery(query: JobQuery): void {
  const { sort = "desc", filter = "", limit = 1, offset = 0, status, name = "", tag = "" } = query;
  const throwInvalid = (problem: string): never => {
    throw errors.E_QUEUE_QUERY(problem);
  };
  if (!Number.isSafeInteger(limit) || limit < 1) throwInvalid("The limit must be a whole number above 0.");
  if (!Number.isSafeInteger(offset) || offset < 0) throwInvalid("The offset must be a whole number, at least 0.");
  if (sort !== "asc" && sort !== "desc") throwInvalid("The sort direction must be asc or desc.");
  if (status !== undefined && !jobStatuses.includes(status))
    throwInvalid(`The status must be one of ${jobStatuses.join(", ")}.`);
  for (const text of [filter, name, tag]) {
    if (text.length > maxTextLength) throwInvalid(`A search text has at most ${maxTextLength} characters.`);
    if (text.includes("\0") || !text.isWellFormed()) throwInvalid("A search text contains invalid characters.");
  }
}
