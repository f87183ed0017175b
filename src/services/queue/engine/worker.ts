import { type ContextOptions, isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { settlesWithin, Time, TimeInternals } from "../../../time/index.ts";
import type { JobRecord } from "../contract.ts";
import type { QueueStore } from "../store/contract.ts";
import { InFlightJobs, leaseMs } from "./in-flight-jobs.ts";
import type { JobRegistry } from "./job-registry.ts";
import { claimRequest, PrefetchBuffer } from "./prefetch-buffer.ts";

/** Options of a `Worker`. */
export interface WorkerOptions {
  readonly store: QueueStore;
  readonly registry: JobRegistry;
  /** Maximum number of running jobs. */
  readonly concurrency: number;
  /** Names of the jobs to run. Default: all registered jobs. */
  readonly only?: readonly string[];
  /** Called after the first claim: the store can be reached. */
  readonly onReached?: () => void;
}

const log = Log.source("limmat.queue");
const minPollIntervalMs = 50;
const maxPollIntervalMs = 500;
const outageRetryDelayMs = Time.seconds(5);
const reclaimIntervalMs = leaseMs / 3;
// Prefetched jobs are released after this time, for other workers to claim.
const maxPrefetchAgeMs = Time.seconds(1);

/**
 * Runs jobs in this process until `end`.
 *
 * It claims as many jobs as it has free slots, and some ahead if jobs are quick. When none is due, it polls at intervals
 * that double from 50 to 500 ms. A dispatch in this process and the due time of the next job end the interval early.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #inFlight: InFlightJobs;
  readonly #buffer: PrefetchBuffer;
  #loop: Promise<void> | undefined;
  #cancelReclaim: (() => void) | undefined;
  #reachedAt = TimeInternals.timestamp();
  #pollIntervalMs = minPollIntervalMs;
  #isWoken = false;
  #isWaitingForSlot = false;
  #isEnding = false;
  #isOutage = false;
  #hasReached = false;
  #wakeUp: (() => void) | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#inFlight = new InFlightJobs(options.store, options.registry, () => {
      if (this.#isWaitingForSlot) this.wake();
    });
    this.#buffer = new PrefetchBuffer(options.store);
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Polls for due jobs now. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Aborts a job that was cancelled in this process. */
  cancel(jobId: string): void {
    // The cancellation may concern an earlier claim. The store accepts the release of a held lease only.
    this.#inFlight.release(this.#buffer.remove(jobId));
    this.#inFlight.cancel(jobId);
  }

  /**
   * Claims no more jobs and waits for the running ones. Releases jobs that still run after `graceMs`. Does not wait longer
   * for a store that does not respond: jobs of a claim in progress start elsewhere after their lease.
   */
  async end(graceMs: number): Promise<void> {
    const startedMs = Time.monotonic();
    this.#isEnding = true;
    this.#cancelReclaim?.();
    this.wake();
    if (this.#loop !== undefined && !(await settlesWithin(this.#loop, graceMs))) {
      log.warning("The queue does not respond while the process shuts down");
    }
    this.#inFlight.release(this.#buffer.clear());
    await this.#inFlight.end(Math.max(0, graceMs - (Time.monotonic() - startedMs)));
  }

  get #names(): readonly string[] {
    const { names } = this.#options.registry;
    const { only } = this.#options;
    return only === undefined ? names : names.filter((name) => only.includes(name));
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      this.#isWoken = false;
      try {
        await this.#fillSlots();
      } catch (error) {
        this.#reportOutage(error);
        await this.#rest(outageRetryDelayMs);
      }
    }
  }

  /** Logs once per outage, because the retries follow every few seconds. */
  #reportOutage(error: unknown): void {
    if (this.#isOutage) return;
    this.#isOutage = true;
    if (isError(error, "E_DATABASE_NO_TABLE")) log.warning('The queue waits for its table. Run the command "migrate"');
    else log.error("The queue cannot be reached; trying again", { error });
  }

  /** Ends an outage. The first time, starts the periodic work, whose first run would fail without the store as well. */
  #reportReached(): void {
    if (this.#isOutage) log.info("The queue can be reached again");
    this.#isOutage = false;
    if (this.#hasReached) return;
    this.#hasReached = true;
    void this.#reclaim();
    this.#options.onReached?.();
  }

  /** Fills the free slots, then waits until a slot is free or a job may be due. */
  async #fillSlots(): Promise<void> {
    const names = this.#names;
    if (names.length === 0) return this.#rest(maxPollIntervalMs);
    this.#startBuffered();
    const freeSlots = this.#options.concurrency - this.#inFlight.runningCount;
    if (freeSlots <= 0) return this.#restUntilSlotIsFree();
    const { size, hasMore } = await this.#buffer.claim(names, freeSlots);
    this.#reportReached();
    this.#startBuffered();
    if (hasMore || this.#buffer.size > 0) return;
    if (size > 0) this.#pollIntervalMs = minPollIntervalMs;
    // Due jobs that could not be claimed are locked by another worker: back off.
    else await this.#restAndBackOff(Infinity);
    await this.#restUntilDue(names);
  }

  #startBuffered(): void {
    while (this.#inFlight.runningCount < this.#options.concurrency && !this.#isEnding) {
      const claimed = this.#buffer.next();
      if (claimed === undefined) return;
      const { leased_until } = claimed.job;
      // Another worker may have taken over a job whose lease has expired. The release has no effect then.
      if (leased_until !== undefined && leased_until.getTime() <= TimeInternals.timestamp())
        this.#inFlight.release([claimed]);
      else this.#inFlight.start(claimed);
    }
  }

  async #restUntilSlotIsFree(): Promise<void> {
    this.#isWaitingForSlot = true;
    await this.#rest(maxPrefetchAgeMs);
    this.#isWaitingForSlot = false;
    if (this.#buffer.ageMs >= maxPrefetchAgeMs) this.#inFlight.release(this.#buffer.clear());
    // Slots that become free in the same turn of the event loop are filled by one claim.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Polls for the next due time, which costs less than a claim without a result. */
  async #restUntilDue(names: readonly string[]): Promise<void> {
    while (!this.#isWoken && !this.#isEnding) {
      const dueAt = await this.#options.store.nextDue(names);
      const waitMs = dueAt === undefined ? Infinity : dueAt.getTime() - TimeInternals.timestamp();
      if (waitMs <= 0) return;
      await this.#restAndBackOff(waitMs);
    }
    this.#pollIntervalMs = minPollIntervalMs;
  }

  /** Rests for the poll interval, at most `maxMs`, and doubles the interval. */
  async #restAndBackOff(maxMs: number): Promise<void> {
    await this.#rest(Math.min(maxMs, this.#pollIntervalMs));
    this.#pollIntervalMs = Math.min(2 * this.#pollIntervalMs, maxPollIntervalMs);
  }

  /** Rests until the time has passed, `wake` is called or the worker ends. */
  async #rest(ms: number): Promise<void> {
    if (this.#isWoken || this.#isEnding) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = TimeInternals.after(ms, () => resolve(undefined));
    this.#wakeUp = () => resolve(undefined);
    await promise;
    cancel();
  }

  /** Takes over jobs of dead workers, now and every 10 s. */
  async #reclaim(): Promise<void> {
    if (this.#isEnding) return;
    this.#cancelReclaim = TimeInternals.after(reclaimIntervalMs, () => void this.#reclaim());
    try {
      await this.#options.store.nextDue(this.#names);
      const now = TimeInternals.timestamp();
      const wasAway = now - this.#reachedAt > leaseMs - reclaimIntervalMs;
      this.#reachedAt = now;
      // After an outage or a sleep of the computer, other workers get one interval to renew their leases first.
      if (wasAway) return;
      if (await this.#inFlight.reclaim(this.#names)) this.wake();
    } catch (error) {
      if (!this.#isOutage) log.error("The jobs of dead workers could not be looked up", { error });
    }
  }
}

/** Runs due jobs, one after the other, until none is left. Returns their records afterwards. */
export async function runDueJobs(
  store: QueueStore,
  registry: JobRegistry,
  options: ContextOptions,
): Promise<readonly JobRecord[]> {
  const inFlight = new InFlightJobs(store, registry, () => {});
  const ids = new Set<string>();
  await inFlight.reclaim(registry.names);
  for (;;) {
    const [claimed] = await store.claim(claimRequest(registry.names, 1));
    if (claimed === undefined) break;
    ids.add(claimed.job.id);
    inFlight.start(claimed);
    await inFlight.settled();
  }
  await inFlight.settled();
  const jobs = await Promise.all([...ids].map((id) => store.findOpt(id, options)));
  return jobs.filter((job) => job !== undefined);
}
