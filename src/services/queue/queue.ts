import { Cleaner } from "../../cleaner/index.ts";
import { type ContextOptions, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { check } from "./check.ts";
import { commandsOf } from "./commands.ts";
import type { DispatchOptions, Instance, Job, Queue } from "./contract.ts";
import { instancesOf } from "./dispatch.ts";
import { measure } from "./measure.ts";
import { checkedQuery } from "./query.ts";
import { Registry } from "./registry.ts";
import { grace, settings } from "./settings.ts";
import { endStatuses, type Store, type StoreSource } from "./store.ts";
import type { Worker } from "./worker.ts";

/** What a queue is given, whatever its store. */
export interface QueueOptions {
  /** The jobs of the application. A function, so that modules may refer to each other. */
  readonly jobs?: () => readonly Job[];
}

const log = Log.source("limmat.queue");
const tidyTime = Time.minutes(10);

/** Makes a queue on a store. For authors of stores. */
export function makeQueue(store: Store, options: QueueOptions = {}): Queue {
  const { implementation } = store;
  return queueOn({ implementation, dependencies: () => store.dependencies(), open: async () => store }, options);
}

/** Makes a queue on a store that is opened when it is needed. */
export function queueOn(source: StoreSource, { jobs = () => [] }: QueueOptions = {}): Queue {
  const registry = new Registry();
  let opening: Promise<Store> | undefined;
  let worker: Worker | undefined;
  let stopTidying: (() => void) | undefined;
  let unregister: (() => void) | undefined;

  // The stores and what works jobs are loaded when they are needed: most starts never do (docs/decisions/008).
  const opened = (): Promise<Store> => (opening ??= source.open());

  const register = (...given: readonly Job[]): void => {
    given.forEach((job) => registry.add(job));
    worker?.wake();
  };

  const tidy = async (): Promise<void> => {
    stopTidying = Time.after(tidyTime, () => void tidy(), { keepAlive: false });
    const { keep, keepFailed } = settings.read();
    const before = (age: number): Date => new Date(Time.timestamp() - age);
    try {
      const store = await opened();
      const ended = await store.purge(["succeeded", "cancelled"], before(keep), {});
      const failed = await store.purge(["failed"], before(keepFailed), {});
      if (ended + failed > 0) log.info("Old jobs are deleted", { jobs: ended + failed });
    } catch (error) {
      log.error("Old jobs could not be deleted", { error });
    }
  };

  const work = async (only?: readonly string[]): Promise<void> => {
    const { concurrency } = settings.read();
    const module = await import("./worker.ts");
    const store = await opened();
    worker = new module.Worker({ store, registry, concurrency, ...(only === undefined ? {} : { only }) });
    worker.start();
    void tidy();
  };

  const drain = async (): Promise<void> => {
    stopTidying?.();
    const ending = worker;
    worker = undefined;
    await ending?.end(grace());
  };

  const dispatchAll = async <Input>(
    job: Job<Input, unknown>,
    inputs: readonly Input[],
    options: DispatchOptions = {},
  ): Promise<readonly string[]> => {
    registry.checkDispatch(job);
    if (inputs.length === 0) return [];
    const instances = await instancesOf(job, inputs, options);
    const store = await opened();
    const ids = await store.insert(instances, options);
    store.afterCommit(() => worker?.wake());
    return ids;
  };

  const runDue = async (options: ContextOptions = {}): Promise<readonly Instance[]> => {
    const module = await import("./run-due.ts");
    return module.runDue(await opened(), registry, options);
  };

  const queue: Queue = {
    ...Service.make({
      name: "queue",
      implementation: source.implementation,
      dependencies: source.dependencies,
      configuration: settings.fields,
      start: () => {
        register(...jobs());
        unregister = Cleaner.register("queue", async (options) => (await opened()).clean?.(options));
      },
      ready: async ({ services }) => {
        const isServing = services.some(({ fetch }) => fetch !== undefined);
        if (isServing && settings.read().process) await work();
      },
      drain,
      stop: async () => {
        unregister?.();
        await drain();
      },
      check: async () => check(await opened(), registry),
      measure: async () => measure(await opened(), registry),
    }),
    commands: [],
    register,
    dispatch: async (job, ...rest) => {
      const [input, options] = rest;
      const [id] = await dispatchAll(job as Job, [input], options);
      return id as string;
    },
    dispatchAll,
    find: async (id, options = {}) => (await opened()).find(id, options),
    search: async (query = {}, options = {}) => {
      const checked = checkedQuery(query);
      return (await opened()).search(checked, options);
    },
    counts: async (options = {}) => (await opened()).counts(options),
    cancel: async (id, options = {}) => {
      const store = await opened();
      const isCancelled = await store.cancel(id, options);
      if (isCancelled) store.afterCommit(() => worker?.cancel(id));
      return isCancelled;
    },
    requeue: async (id, options = {}) => {
      const store = await opened();
      const isRequeued = await store.requeue(id, options);
      if (isRequeued) store.afterCommit(() => worker?.wake());
      return isRequeued;
    },
    purge: async (options = {}) => {
      const { olderThan = 0, statuses = endStatuses } = options;
      const before = new Date(Time.timestamp() - olderThan);
      return (await opened()).purge(statuses, before, options);
    },
    runDue,
  };
  return Object.assign(queue, { commands: commandsOf(queue, work) });
}
