import { errorText, isError, ok } from "../../../core/index.ts";
import { LeaseRenewer } from "../../../lease/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Log } from "../../../log/index.ts";
import { settlesWithin, Time, TimeInternals } from "../../../time/index.ts";
import { errors } from "../errors.ts";
import type { ClaimedJob, JobOutcome, Lease, QueueStore } from "../store/contract.ts";
import {
  abortGraceMs,
  type Attempt,
  type AttemptResult,
  leaseOf,
  logFieldsOf,
  maxErrorLength,
  outcomeOf,
  startAttempt,
} from "./attempt.ts";
import type { JobRegistry } from "./job-registry.ts";

/** Duration of a job's lease, in milliseconds. Workers renew it after each third. */
export const leaseMs: number = Time.seconds(30);

const log = Log.source("limmat.queue");
const recordRetryDelayMs = Time.seconds(1);
const abortCodes = ["E_QUEUE_ENDING", "E_QUEUE_CANCELLED"];

/** Jobs that run in this process. Starts them, renews their leases, and records their outcomes in batches. */
export class InFlightJobs {
  readonly #store: QueueStore;
  readonly #registry: JobRegistry;
  readonly #onChange: () => void;
  readonly #heartbeat: LeaseRenewer<Lease>;
  readonly #attempts = new Map<string, Attempt>();
  readonly #unrecorded = new Map<JobOutcome, AttemptResult>();
  readonly #failureReports = new Set<Promise<void>>();
  #runningCount = 0;
  #recording: Promise<void> | undefined;
  #isAbandoned = false;

  /** `onChange` is called when an attempt has ended, and when outcomes were recorded. */
  constructor(store: QueueStore, registry: JobRegistry, onChange: () => void) {
    this.#store = store;
    this.#registry = registry;
    this.#onChange = onChange;
    this.#heartbeat = new LeaseRenewer({
      durationMs: leaseMs,
      // A store rejects the outcome of a lost lease. So an attempt may go on while the store cannot be reached.
      canExpire: false,
      renew: (leases) => store.renewLeases(leases, new Date(TimeInternals.timestamp() + leaseMs)),
      onLoss: (lease) => this.#attempts.get(keyOf(lease))?.abort(errors.E_QUEUE_CANCELLED()),
      onError: (error) => log.error("The leases of running jobs could not be renewed; trying again", { error }),
    });
  }

  /** Number of running attempts. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Starts an attempt of a claimed job. */
  start(claimed: ClaimedJob): void {
    const definition = this.#registry.findOpt(claimed.job.name);
    if (definition === undefined) return;
    const attempt = startAttempt(definition, claimed);
    this.#attempts.set(keyOf(attempt.lease), attempt);
    this.#runningCount += 1;
    this.#heartbeat.add(attempt.lease);
    void this.#finish(attempt);
  }

  /** Aborts a job that was cancelled in this process, without waiting for the next heartbeat. */
  cancel(jobId: string): void {
    for (const { claimed, abort } of this.#attempts.values()) {
      if (claimed.job.id === jobId) abort(errors.E_QUEUE_CANCELLED());
    }
  }

  /** Releases claimed jobs that were not started. */
  release(claimedJobs: readonly ClaimedJob[]): void {
    if (claimedJobs.length === 0) return;
    for (const claimed of claimedJobs) {
      this.#unrecorded.set({ ...leaseOf(claimed), outcome: "released" }, ok(undefined));
    }
    this.#recording ??= this.#record();
  }

  /** Resolves when no job is in flight, or all were abandoned, and the `failed` callbacks have returned. */
  async settled(): Promise<void> {
    while (!this.#isAbandoned && (this.#attempts.size > 0 || this.#recording !== undefined)) {
      await Promise.all(this.#attempts.values().map(({ result }) => result));
      await this.#recording;
    }
    await Promise.all(this.#failureReports);
  }

  /** Waits for the jobs in flight. Aborts and releases jobs that still run after `graceMs`. */
  async end(graceMs: number): Promise<void> {
    const settled = this.settled();
    if (await settlesWithin(settled, graceMs)) return;
    log.warning("Running jobs are released because the process shuts down", { jobs: this.#runningCount });
    for (const { abort } of this.#attempts.values()) abort(errors.E_QUEUE_ENDING());
    await settlesWithin(settled, 2 * abortGraceMs);
    this.#isAbandoned = true;
    this.#heartbeat.clear();
  }

  async #finish(attempt: Attempt): Promise<void> {
    const startedAt = Time.monotonic();
    const result = await attempt.result;
    this.#runningCount -= 1;
    // An attempt that was aborted here has not failed. The store rejects the release of a cancelled job, and accepts that
    // of a job that was requeued since.
    const isAborted = !result.ok && abortCodes.some((code) => isError(result.error.error, code));
    const outcome: JobOutcome = isAborted ? { ...attempt.lease, outcome: "released" } : outcomeOf(attempt, result);
    logOutcome(attempt.claimed, result, outcome, Time.monotonic() - startedAt);
    this.#unrecorded.set(outcome, result);
    this.#recording ??= this.#record();
    this.#onChange();
  }

  async #record(): Promise<void> {
    // Attempts that end in the same turn of the event loop share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#unrecorded.size > 0 && !this.#isAbandoned) {
      const outcomes = [...this.#unrecorded.keys()];
      try {
        this.#removeRecorded(outcomes, await this.#store.recordOutcomes(outcomes));
      } catch (error) {
        log.error("The outcomes of jobs could not be recorded; trying again", { error });
        await Time.sleep(recordRetryDelayMs);
      }
    }
    this.#recording = undefined;
    this.#onChange();
  }

  #removeRecorded(outcomes: readonly JobOutcome[], accepted: ReadonlySet<JobOutcome>): void {
    for (const outcome of outcomes) {
      const result = this.#unrecorded.get(outcome);
      const attempt = this.#attempts.get(keyOf(outcome));
      this.#unrecorded.delete(outcome);
      this.#attempts.delete(keyOf(outcome));
      if (attempt === undefined) continue;
      this.#heartbeat.remove(attempt.lease);
      const { id, name } = attempt.claimed.job;
      if (!accepted.has(outcome)) {
        const message = "The outcome of a job was rejected: it was cancelled, or another process has taken it over";
        log.warning(message, { job: name, job_id: id });
      } else if (outcome.outcome === "failed" && result?.ok === false) {
        this.#reportFailure(attempt.claimed, result.error.error, outcome.error);
      } else if (outcome.outcome === "succeeded" || outcome.outcome === "retried") {
        this.#registry.countAttempt(name, outcome.outcome);
      }
    }
  }

  /** Frees the jobs of dead workers; those whose last attempt it was have failed. Returns true if any is pending. */
  async reclaim(names: readonly string[]): Promise<boolean> {
    if (names.length === 0) return false;
    const error = errors.E_QUEUE_LOST();
    const storedError = errorText(error, maxErrorLength);
    // A store may return batches. No batch repeats jobs, because freed ones are pending.
    for (let hasFreed = false; ;) {
      const { freed, failed } = await this.#store.reclaim(names, storedError);
      if (freed + failed.length === 0) return hasFreed;
      log.warning("Jobs of dead workers are taken over", { jobs: freed + failed.length });
      for (const claimed of failed) {
        log.error("A job has failed", { ...logFieldsOf(claimed), error });
        this.#reportFailure(claimed, error, storedError);
      }
      hasFreed ||= freed > 0;
    }
  }

  /** Counts a job that has failed permanently, and calls its `failed`. */
  #reportFailure(claimed: ClaimedJob, error: unknown, storedError: string): void {
    const { job } = claimed;
    this.#registry.countAttempt(job.name, "failed");
    const now = Time.now();
    const changes = { status: "failed", last_error: storedError, last_error_at: now, finished_at: now } as const;
    const failure = { error, ctx: job.ctx, job: { ...job, ...changes, leased_until: undefined } };
    const callFailed = async (): Promise<void> => {
      try {
        await this.#registry.findOpt(job.name)?.failed?.(failure);
      } catch (thrown) {
        log.error("The `failed` callback of a job has failed", { error: thrown });
      }
    };
    const report = LanguageInternals.runInLocale(undefined, () => Log.withFields(logFieldsOf(claimed), callFailed));
    this.#failureReports.add(report);
    void report.then(() => this.#failureReports.delete(report));
  }
}

const keyOf = ({ job_id, lease_id }: Lease): string => `${job_id} ${lease_id}`;

function logOutcome(claimed: ClaimedJob, result: AttemptResult, outcome: JobOutcome, ms: number): void {
  const fields = { ...logFieldsOf(claimed), attempt: claimed.job.attempts, ms: Math.round(ms) };
  if (result.ok) log.debug("A job has succeeded", fields);
  else if (outcome.outcome === "failed") log.error("A job has failed", { ...fields, error: result.error.error });
  else if (outcome.outcome === "retried") {
    const nextRunAt = outcome.next_run_at.toISOString();
    log.warning("A job has failed and is retried", { ...fields, error: result.error.error, next_run_at: nextRunAt });
  }
}
