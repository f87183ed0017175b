import { Cleaner } from "../../cleaner/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { background, type CancellableOptions, isServer, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { startPeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { DispatchOptions, JobDefinition, JobQuery, Queue } from "./contract.ts";
import { createJobs } from "./engine/dispatch.ts";
import { JobRegistry } from "./engine/job-registry.ts";
import { checkQueue, measureQueue } from "./engine/monitoring.ts";
import { runDueJobs, Worker } from "./engine/worker.ts";
import { errors } from "./errors.ts";
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
    registry.checkDispatch(definition, queue);
    if (inputs.length === 0) return [];
    const newJobs = await createJobs(definition, inputs, options);
    const ids = await store.insert(newJobs, options);
    store.afterCommit(() => worker?.wake());
    return ids;
  };

  const findOpt: Queue["findOpt"] = async (id, options = {}) => store.findOpt(id, options);

  const queue: Queue = {
    ...Service.make({
      name: "queue",
      implementation: store.implementation,
      dependencies: () => store.dependencies(),
      configuration: queueSettings.fields,
      commands: createCommands(() => queue, startWorker),
      ...background(() => {
        register(...jobs());
        registry.isQueueStarted = true;
        const isInMemory = store.implementation === "memory";
        return [Cleaner.register("queue", async (options) => store.clean?.(options), { isInMemory }), drain];
      }),
      ready: async ({ services }) => {
        if (services.some(isServer) && queueSettings.read().shouldRunJobs) await startWorker();
      },
      drain,
      check: () => checkQueue(store, registry),
      measure: () => measureQueue(store, registry),
    }),
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
    purge: async ({ olderThanMs = 0, statuses = finalStatuses, ...options } = {}) =>
      store.purge(statuses, new Date(TimeInternals.timestamp() - olderThanMs), options),
    runDue: (options = {}) => runDueJobs(store, registry, options),
  };
  return queue;
}

const maxTextLength = 256;

/** Checks a query. @throws E_QUEUE_QUERY (400) */
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

// Databases cannot represent dates much further away.
const validateKeep = (keepMs: number): string | undefined =>
  keepMs <= Time.days(36_525) ? undefined : "must be at most a hundred years";

/** Configuration of queues. */
const queueSettings: Configuration.Group<{
  readonly shouldRunJobs: ConfigurationField<boolean>;
  readonly concurrency: ConfigurationField<number>;
  readonly keepMs: ConfigurationField<number>;
  readonly keepFailedMs: ConfigurationField<number>;
}> = Configuration.group({
  shouldRunJobs: Configuration.bool("QUEUE_PROCESS", {
    description: "true to run jobs in a process that runs the server",
    default: (environment) => environment !== "test",
  }),
  concurrency: Configuration.int("QUEUE_CONCURRENCY", {
    description: "maximum number of jobs that a process runs at the same time",
    default: 10,
    min: 1,
    max: 1000,
  }),
  keepMs: Configuration.duration("QUEUE_KEEP", {
    description: "how long succeeded and cancelled jobs are kept",
    default: Time.days(7),
    validate: validateKeep,
  }),
  keepFailedMs: Configuration.duration("QUEUE_KEEP_FAILED", {
    description: "how long failed jobs are kept",
    default: Time.days(30),
    validate: validateKeep,
  }),
});

// The application declares and checks this key; the description is the same there.
const shutdownTimeout = Configuration.duration("SHUTDOWN_TIMEOUT", {
  description: "the maximum duration of a graceful shutdown",
  default: Time.seconds(25),
});

/** Returns the time for running jobs to end at shutdown, in ms: `SHUTDOWN_TIMEOUT` less the time to release others. */
function shutdownGraceMs(): number {
  const timeoutMs = Configuration.read(shutdownTimeout);
  return Math.max(timeoutMs - Time.seconds(5), timeoutMs / 2);
}
