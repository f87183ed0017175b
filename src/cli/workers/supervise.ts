import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import type { WorkerProcess } from "./fork.ts";

/** What is supervised, and how. */
export interface Supervision {
  /** How many workers there are to be. */
  readonly count: number;
  readonly fork: (number: number) => WorkerProcess;
  /** Aborted when all is to end. */
  readonly signal: AbortSignal;
  /** Calls the listener when all workers are to be replaced. Gives the function that takes it away. */
  readonly onReload: (listener: () => void) => () => void;
}

const log = Log.source("limmat.workers");
const steady = Time.seconds(10);
const firstDelay = 250;
const longestDelay = Time.seconds(30);
const mostFailures = 5;

/**
 * Starts workers and sees to it that there are always as many, until the signal is aborted and the last has ended.
 *
 * The first one shows whether the program starts at all, before there are others. A worker that dies is replaced at once
 * if it had served for 10 s, otherwise after a delay that doubles from 250 ms to 30 s.
 *
 * @throws E_WORKERS_START when the first worker does not start, E_WORKERS_FAILED when five in a row have not served for
 * 10 s and none is left; by then all have ended.
 */
export async function supervise({ count, fork, signal, onReload }: Supervision): Promise<void> {
  const alive = new Set<WorkerProcess>();
  const serving = new Set<WorkerProcess>();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  let started = 0;

  const start = async (): Promise<WorkerProcess | undefined> => {
    signal.throwIfAborted();
    const worker = fork(++started);
    alive.add(worker);
    void worker.ended.then(() => alive.delete(worker));
    if (await worker.isReady) return worker;
    if (!signal.aborted) log.error("A worker could not start", { worker: worker.number, how: await worker.ended });
    return undefined;
  };

  /** Keeps one worker serving, by others in its place when it ends, until one is replaced or all end. */
  const keep = async (given?: WorkerProcess): Promise<void> => {
    let worker = given;
    for (let failures = 0; !signal.aborted; failures += 1) {
      if (failures >= mostFailures && serving.size === 0) throw errors.E_WORKERS_FAILED(failures);
      if (failures > 0) await Time.sleep(Math.min(firstDelay * 2 ** (failures - 1), longestDelay), { signal });
      worker ??= await start();
      if (worker === undefined) continue;
      serving.add(worker);
      const since = Time.monotonic();
      const how = await worker.ended;
      if (!serving.delete(worker)) return;
      if (!signal.aborted) log.error("A worker has ended and is replaced", { worker: worker.number, how });
      if (Time.monotonic() - since >= steady) failures = -1;
      worker = undefined;
    }
  };
  const keepOrFail = (worker?: WorkerProcess): void => void keep(worker).catch(failure.reject);

  const replaceAll = async (): Promise<void> => {
    log.info("Replacing the workers, one by one");
    for (const former of new Set(serving)) {
      const worker = await start();
      if (worker === undefined) return log.error("The workers were not replaced: the new ones do not start");
      // One that has died meanwhile is replaced already.
      if (!serving.delete(former)) worker.end();
      else {
        keepOrFail(worker);
        former.end();
        await former.ended;
      }
    }
    log.info("The workers are replaced");
  };

  const stopListening = onReload(oneAfterTheOther(() => replaceAll().catch(failure.reject)));
  try {
    const first = await Promise.race([start(), rejection(signal)]);
    if (first === undefined) throw errors.E_WORKERS_START();
    keepOrFail(first);
    for (let others = count - 1; others > 0; others--) keepOrFail();
    await Promise.race([failure.promise, rejection(signal)]);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    stopListening();
    for (const worker of alive) worker.end();
    await Promise.all([...alive].map(({ ended }) => ended));
  }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Runs the work again after its end if it was asked for meanwhile, however often. */
function oneAfterTheOther(work: () => Promise<void>): () => Promise<void> {
  let isAsked = false;
  let isRunning = false;
  return async () => {
    isAsked = true;
    if (isRunning) return;
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      await work();
    }
    isRunning = false;
  };
}
