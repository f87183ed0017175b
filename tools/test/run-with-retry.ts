// Second try of the jobs that failed: a gate must not refuse good work because of a chance failure, and must not hide it.
import type { EndedJob, Job } from "./job.ts";
import { countUnstable, maxUnstable } from "./unstable-jobs.ts";

/** Results of a run. */
export interface RunResults {
  /** Last result of each job. */
  readonly ended: readonly EndedJob[];
  /** First results of the jobs that passed the second time. */
  readonly unstable: readonly EndedJob[];
}

/** Options of `runWithRetry`. */
export interface RetryOptions {
  /** Runs jobs. Resolves with less results if it is interrupted. */
  readonly run: (jobs: readonly Job[]) => Promise<readonly EndedJob[]>;
  /** Runs jobs again, one at a time. */
  readonly runAlone: (jobs: readonly Job[]) => Promise<readonly EndedJob[]>;
}

/**
 * Runs jobs. Then runs those that failed once more, when nothing else runs, unless the run fails in any case: because of
 * a job whose result cannot change, or because more jobs failed than may be unstable.
 */
export async function runWithRetry(jobs: readonly Job[], { run, runAlone }: RetryOptions): Promise<RunResults> {
  const first = await run(jobs);
  const failed = first.filter(({ result }) => !result.hasPassed);
  const isFinal = failed.some(({ job }) => job.isDeterministic) || failed.length + countUnstable() > maxUnstable;
  if (failed.length === 0 || isFinal || first.length < jobs.length) return { ended: first, unstable: [] };
  const second = await runAlone(failed.map(({ job }) => job));
  const secondOf = ({ job }: EndedJob): EndedJob | undefined => second.find((again) => again.job === job);
  return {
    ended: first.map((result) => secondOf(result) ?? result),
    unstable: failed.filter((result) => secondOf(result)?.result.hasPassed === true),
  };
}
