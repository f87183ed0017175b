// Progress of a run: one status line at a terminal, one line for each job elsewhere.
import { stripVTControlCharacters } from "node:util";
import { formatDuration } from "./durations.ts";
import { addCounts, type Job, type JobResult, noTests, type TestCounts } from "./job.ts";

/** Options of the progress. */
export interface ProgressOptions {
  readonly jobs: readonly Job[];
  readonly expectedMs: (job: Job) => number;
  /** Expected duration of the run, in milliseconds. */
  readonly expectedRunMs: number;
  readonly isVerbose: boolean;
}

/** Progress of a run. */
export interface Progress extends Disposable {
  readonly onStart: (job: Job) => void;
  readonly onEnd: (job: Job, result: JobResult, durationMs: number) => void;
}

/** Shows the progress of a run on standard output. */
export function showProgress({ jobs, expectedMs, expectedRunMs, isVerbose }: ProgressOptions): Progress {
  const { stdout } = process;
  const startMs = performance.now();
  const totalMs = jobs.reduce((sum, job) => sum + expectedMs(job), 0);
  const running = new Map<Job, number>();
  let endedMs = 0;
  let endedJobs = 0;
  let counts: TestCounts = noTests;

  /** Share of the work that is done, from 0 to 1. Running jobs count by their time. */
  const done = (): number => {
    const nowMs = performance.now();
    const runningMs = [...running].reduce(
      (sum, [job, since]) => sum + Math.min(nowMs - since, expectedMs(job) * 0.95),
      0,
    );
    return Math.min(1, (endedMs + runningMs) / totalMs);
  };
  /** Remaining time: at first the expected one, later that of the speed of this run. */
  const remainingMs = (): number => {
    const share = done();
    const elapsedMs = performance.now() - startMs;
    const measuredMs = share > 0 ? (elapsedMs * (1 - share)) / share : expectedRunMs;
    return share * measuredMs + (1 - share) * Math.max(0, expectedRunMs * (1 - share));
  };
  const position = (): string => `${Math.floor(done() * 100)} %, ${formatRemaining(remainingMs())}`;

  const clear = (): void => void (stdout.isTTY && stdout.write("\r\u001B[2K"));
  const draw = (): void => {
    if (!stdout.isTTY) return;
    const failed = counts.failed === 0 ? "" : `, ${counts.failed} failed`;
    const names = [...running.keys()].map(({ name }) => name).join(", ");
    const line = `${position()} · ${counts.passed} tests passed${failed} · ${names}`;
    stdout.write(`\r\u001B[2K${line.slice(0, Math.max(20, stdout.columns - 1))}`);
  };
  const timer = setInterval(draw, 500).unref();
  return {
    onStart: (job) => {
      running.set(job, performance.now());
      draw();
    },
    onEnd: (job, result, durationMs) => {
      running.delete(job);
      endedMs += expectedMs(job);
      endedJobs++;
      counts = addCounts(counts, result.counts);
      if (!stdout.isTTY || isVerbose || !result.hasPassed) {
        clear();
        const mark = result.hasPassed ? "✔" : "✖";
        const tests = result.counts.tests === 0 ? "" : ` · ${result.counts.tests} tests`;
        console.log(
          `[${endedJobs}/${jobs.length} ${position()}] ${mark} ${job.name}${tests} · ${formatDuration(durationMs)}`,
        );
        if (isVerbose && result.output !== "") console.log(stripVTControlCharacters(result.output.trimEnd()));
        // The summary repeats them, many minutes later.
        else if (result.failures.length > 0) console.log(`\n${result.failures.join("\n").trimEnd()}\n`);
      }
      draw();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      clear();
    },
  };
}

const formatRemaining = (remainingMs: number): string =>
  remainingMs < 10_000 ? "a few seconds left" : `${formatDuration(remainingMs)} left`;
