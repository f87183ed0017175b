import { Cleaner } from "../../cleaner/index.ts";
import { background, type CancellableOptions, type ContextOptions, isServer, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { startPeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { DispatchOptions, JobDefinition, JobQuery, JobRecord, Queue } from "./contract.ts";
import { createJobs } from "./engine/dispatch.ts";
import { JobRegistry } from "./engine/job-registry.ts";
import { checkQueue, measureQueue } from "./engine/monitoring.ts";
import { runDueJobs } from "./engine/run-due.ts";
import { Worker } from "./engine/worker.ts";
import { errors } from "./errors.ts";
import { queueSettings, shutdownGraceMs } from "./settings.ts";
import { finalStatuses, jobStatuses, type QueueStore } from "./store/contract.ts";

/** Options of a queue with any store. */
export interface QueueOptions {
  /** Returns the job definitions of the application. A function, so that modules may refer to each other. */
  readonly jobs?: () => readonly JobDefinition[];
}

const log = Log.source("limmat.queue");
const purgeIntervalMs = Time.minutes(10);

/** Creates a queue on a store. For authors of stores. */
export function makeQueue(store: QueueStore, { jobs = () => [] }: QueueOptions = {}): Queue {
  const registry = new JobRegistry();
  let worker: Worker | undefined;
  let stopPurging: (() => Promise<void>) | undefined;

  const register = (...definitions: readonly JobDefinition[]): void => {
    definitions.forEach((definition) => registry.add(definition));
    worker?.wake();
  };

  const purgeOldJobs = async (options: CancellableOptions): Promise<void> => {
    const { keepMs, keepFailedMs } = queueSettings.read();
    const before = (ageMs: number): Date => new Date(TimeInternals.timestamp() - ageMs);
    const endedCount = await store.purge(["succeeded", "cancelled"], before(keepMs), options);
    const failedCount = await store.purge(["failed"], before(keepFailedMs), options);
    if (endedCount + failedCount > 0) log.info("Old jobs are deleted", { jobs: endedCount + failedCount });
  };

  const startWorker = async (only?: readonly string[]): Promise<void> => {
    const unknownNames = only?.filter((name) => registry.findOpt(name) === undefined) ?? [];
    if (unknownNames.length > 0) throw errors.E_QUEUE_JOB_NAME(unknownNames, registry.names);
    const { concurrency } = queueSettings.read();
    const startPurging = (): void => {
      stopPurging = (store.startPeriodicTask ?? startPeriodicTask)({
        intervalMs: purgeIntervalMs,
        runsAtOnce: true,
        run: purgeOldJobs,
        onError: (error) => log.error("Old jobs could not be deleted", { error }),
      });
    };
    const options = { store, registry, concurrency, ...(only === undefined ? {} : { only }) };
    const started = new Worker({ ...options, onReached: () => worker === started && startPurging() });
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
    const ids = await store.insert(newJobs, options);
    store.afterCommit(() => worker?.wake());
    return ids;
  };

  const findOpt = async (id: string, options: ContextOptions = {}): Promise<JobRecord | undefined> =>
    store.findOpt(id, options);

  const queue: Queue = {
    ...Service.make({
      name: "queue",
      implementation: store.implementation,
      dependencies: () => store.dependencies(),
      configuration: queueSettings.fields,
      ...background(() => {
        register(...jobs());
        return [Cleaner.register("queue", async (options) => store.clean?.(options)), drain];
      }),
      ready: async ({ services }) => {
        const hasServer = services.some(isServer);
        if (hasServer && queueSettings.read().shouldRunJobs) await startWorker();
      },
      drain,
      check: () => checkQueue(store, registry),
      measure: () => measureQueue(store, registry),
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
      return store.search(query, options);
    },
    counts: async (options = {}) => store.counts(options),
    cancel: async (id, options = {}) => {
      const isCancelled = await store.cancel(id, options);
      if (isCancelled) store.afterCommit(() => worker?.cancel(id));
      return isCancelled;
    },
    requeue: async (id, options = {}) => {
      const isRequeued = await store.requeue(id, options);
      if (isRequeued) store.afterCommit(() => worker?.wake());
      return isRequeued;
    },
    purge: async (options = {}) => {
      const { olderThanMs = 0, statuses = finalStatuses } = options;
      const before = new Date(TimeInternals.timestamp() - olderThanMs);
      return store.purge(statuses, before, options);
    },
    runDue: (options = {}) => runDueJobs(store, registry, options),
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
