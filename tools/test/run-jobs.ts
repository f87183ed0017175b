// Runs jobs in a fixed number of slots, the longest first: a long job at the end would run alone.
import { type Job, type JobResult, oneFailure } from "./job.ts";

/** Callbacks of a run. */
export interface RunObserver {
  readonly onStart: (job: Job) => void;
  readonly onEnd: (job: Job, result: JobResult, durationMs: number) => void;
}

/** Options of a run. */
export interface RunOptions extends RunObserver {
  /** Number of jobs that run at the same time. */
  readonly slots: number;
  readonly expectedMs: (job: Job) => number;
  readonly signal: AbortSignal;
}

/** Runs all jobs. Those that must be alone run at the end. Resolves early if the signal is aborted. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const { slots, expectedMs, signal, onStart, onEnd } = options;
  const ordered = jobs.toSorted((a, b) => expectedMs(b) - expectedMs(a));
  const runNext = async (queue: Job[]): Promise<void> => {
    for (let job = queue.shift(); job !== undefined && !signal.aborted; job = queue.shift()) {
      onStart(job);
      const startMs = performance.now();
      const result = await runJob(job, signal);
      if (!signal.aborted) onEnd(job, result, performance.now() - startMs);
    }
  };
  const shared = ordered.filter(({ isExclusive }) => !isExclusive);
  await Promise.all(Array.from({ length: slots }, () => runNext(shared)));
  await runNext(ordered.filter(({ isExclusive }) => isExclusive));
}

/** Runs a job. An error of its preparation, such as a download, is its failure. */
async function runJob(job: Job, signal: AbortSignal): Promise<JobResult> {
  try {
    return await job.run(signal);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const failures = [`${job.name}\n✖ The job could not run.\n${text.replaceAll(/^/gm, "  ")}`];
    return { hasPassed: false, counts: oneFailure, failures, skipReasons: [], output: "" };
  }
}

/** Returns the expected duration of a run in milliseconds: that of the slot that ends last. */
export function expectedRunMs(
  jobs: readonly Job[],
  { slots, expectedMs }: Pick<RunOptions, "slots" | "expectedMs">,
): number {
  const busyMs = Array.from({ length: slots }, () => 0);
  const durations = (isExclusive: boolean): readonly number[] =>
    jobs.filter((job) => job.isExclusive === isExclusive).map(expectedMs);
  for (const durationMs of durations(false).toSorted((a, b) => b - a)) {
    const first = busyMs.indexOf(Math.min(...busyMs));
    busyMs[first] = (busyMs[first] ?? 0) + durationMs;
  }
  return Math.max(...busyMs) + durations(true).reduce((sum, durationMs) => sum + durationMs, 0);
}
