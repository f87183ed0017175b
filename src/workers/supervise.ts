import { Log } from "../log/index.ts";
import { Time } from "../time/index.ts";
import { errors } from "./errors.ts";
import type { WorkerPool, WorkerProcess } from "./fork.ts";

/** Options of `supervise`. */
export interface Supervision extends WorkerPool {
  /** Number of workers. */
  readonly count: number;
  /** Signal that shuts down all workers when it is aborted. */
  readonly signal: AbortSignal;
  /** Calls the listener when all workers are to be replaced. Returns a function that removes it. */
  readonly onReload: (listener: () => void) => () => void;
  /** Called after each change of the state. Default: nothing. */
  readonly onStateChange?: (state: SupervisionState) => void;
}

/** State of a supervision, for tools that start a replacement and wait for its end. */
export interface SupervisionState {
  /** Workers that answer requests. */
  readonly workers: readonly Pick<WorkerProcess, "number" | "pid" | "program">[];
  /** Number of replacements that have ended. */
  readonly reloads: number;
  /** State of the last replacement; `none` before the first. `failed`: a new worker did not start. */
  readonly reload: "none" | "running" | "done" | "failed";
}

const log = Log.source("limmat.workers");
const stableAfterMs = Time.seconds(10);
const minRestartDelayMs = 250;
const maxRestartDelayMs = Time.seconds(30);
const maxFailedStarts = 5;

/**
 * Starts workers and replaces exited ones, until the signal is aborted and the last worker has exited.
 *
 * Starts the first worker alone, to find out if the program starts at all. Replaces a worker immediately if it was
 * ready for 10 s, otherwise after a delay that doubles from 250 ms to 30 s. A worker that was ready proves that the
 * program starts, so its exit never ends the supervision, however early it is.
 *
 * @throws E_WORKERS_START when the first worker does not start.
 * @throws E_WORKERS_FAILED when five in a row exited before they were ready and none is left. All workers have exited
 * by then.
 */
export async function supervise(supervision: Supervision): Promise<void> {
  const { count, fork, closeListeners, signal, onReload, onStateChange } = supervision;
  const alive = new Set<WorkerProcess>();
  const serving = new Set<WorkerProcess>();
  // Rejected when the supervision ends: with the reason of the signal, or with a failure.
  const ending = Promise.withResolvers<never>();
  ending.promise.catch(() => {});
  signal.addEventListener("abort", () => ending.reject(signal.reason), { once: true });
  let started = 0;
  let reloads = 0;
  let reload: SupervisionState["reload"] = "none";
  let isReloadRequested = false;
  const notify = (): void => onStateChange?.({ workers: [...serving], reloads, reload });

  const start = async (): Promise<WorkerProcess | undefined> => {
    signal.throwIfAborted();
    const worker = fork(++started);
    alive.add(worker);
    void worker.exitReason.then(() => alive.delete(worker));
    if (await worker.isReady) return worker;
    if (!signal.aborted)
      log.error("Worker failed to start", { worker: worker.number, reason: await worker.exitReason });
    return undefined;
  };

  /** Replaces the worker of one slot whenever it exits. Returns on shutdown, or when a reload takes over the slot. */
  const keepSlotServing = async (readyWorker?: WorkerProcess): Promise<void> => {
    let worker = readyWorker;
    let failedStarts = 0;
    for (let earlyExits = 0; !signal.aborted; earlyExits += 1) {
      if (failedStarts >= maxFailedStarts && serving.size === 0) throw errors.E_WORKERS_FAILED(failedStarts);
      if (earlyExits > 0)
        await Time.sleep(Math.min(minRestartDelayMs * 2 ** (earlyExits - 1), maxRestartDelayMs), { signal });
      worker ??= await start();
      failedStarts = worker === undefined ? failedStarts + 1 : 0;
      if (worker === undefined) continue;
      serving.add(worker);
      notify();
      const readyAtMs = Time.monotonic();
      const reason = await worker.exitReason;
      if (!serving.delete(worker)) return;
      notify();
      if (!signal.aborted) log.error("Worker exited and is replaced", { worker: worker.number, reason });
      if (Time.monotonic() - readyAtMs >= stableAfterMs) earlyExits = -1;
      worker = undefined;
    }
  };
  const superviseSlot = (worker?: WorkerProcess): void => void keepSlotServing(worker).catch(ending.reject);

  /** Replaces all workers. Requests during a replacement are coalesced into one further replacement. */
  const replaceWorkers = async (): Promise<void> => {
    isReloadRequested = true;
    if (reload === "running") return;
    while (isReloadRequested) {
      isReloadRequested = false;
      reload = "running";
      notify();
      try {
        reload = (await replaceEach()) ? "done" : "failed";
      } finally {
        if (reload === "running") reload = "failed";
        reloads += 1;
        notify();
      }
    }
  };

  /** Returns false if a new worker failed to start. The workers that are not replaced yet stay then. */
  const replaceEach = async (): Promise<boolean> => {
    log.info("Replacing workers one by one");
    for (const oldWorker of new Set(serving)) {
      const worker = await start();
      if (worker === undefined) {
        log.error("Workers not replaced: a new worker failed to start");
        return false;
      }
      // A worker that exited in the meantime has been replaced already.
      if (!serving.delete(oldWorker)) worker.shutDown();
      else {
        superviseSlot(worker);
        oldWorker.shutDown();
        await oldWorker.exitReason;
      }
    }
    log.info("Workers replaced");
    return true;
  };

  const stopListening = onReload(() => void replaceWorkers().catch(ending.reject));
  try {
    const first = await Promise.race([start(), ending.promise]);
    if (first === undefined) throw errors.E_WORKERS_START();
    superviseSlot(first);
    for (let others = count - 1; others > 0; others--) superviseSlot();
    await ending.promise;
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    stopListening();
    try {
      await closeListeners();
    } finally {
      for (const worker of alive) worker.shutDown();
      await Promise.all([...alive].map((worker) => worker.exitReason));
    }
  }
}
