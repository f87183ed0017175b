import type { CancellableOptions } from "../core/index.ts";
import { after } from "./clock.ts";
import { minutes } from "./duration.ts";

/** Task that runs at an interval. */
export interface PeriodicTask {
  /**
   * Time from the end of a run to the next one, in milliseconds. A random part of at most 10 % is subtracted, so that
   * processes that start together do not run the task at the same moment.
   */
  readonly intervalMs: number;
  /** True to run the task at once as well. Default false: first after the interval, at most five minutes. */
  readonly runsAtOnce?: boolean;
  /** Runs the task. The signal aborts when the task is stopped. */
  readonly run: (options: CancellableOptions) => Promise<unknown>;
  /** Called with the error of a run that failed. The next run follows at the usual time. */
  readonly onError: (error: unknown) => void;
}

/** Function that starts a periodic task. The returned function stops it, and waits for a run in progress. */
export type StartPeriodicTask = (task: PeriodicTask) => () => Promise<void>;

// A process that restarts daily must run daily tasks as well.
const maxFirstDelayMs = minutes(5);

/** Runs a task at an interval. Runs never overlap, and the timer does not keep the process alive. */
export const startPeriodicTask: StartPeriodicTask = ({ intervalMs, runsAtOnce = false, run, onError }) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  let cancelNext = (): void => {};

  const runAndReschedule = async (): Promise<void> => {
    try {
      await run({ signal });
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (!signal.aborted) cancelNext = schedule(intervalMs);
  };
  const schedule = (delayMs: number): (() => void) =>
    after(delayMs * (1 - Math.random() / 10), () => void (running = runAndReschedule()), { keepAlive: false });
  if (runsAtOnce) running = runAndReschedule();
  else cancelNext = schedule(Math.min(intervalMs, maxFirstDelayMs));

  return async () => {
    stopping.abort();
    cancelNext();
    await running;
  };
};
