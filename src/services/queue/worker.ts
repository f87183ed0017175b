import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "./errors.ts";
import { beatTime, Hands, leaseTime } from "./hands.ts";
import { textOf } from "./outcome.ts";
import type { Registry } from "./registry.ts";
import type { Store } from "./store.ts";
import { Supply } from "./supply.ts";

/** How a worker works. */
export interface WorkerOptions {
  readonly store: Store;
  readonly registry: Registry;
  /** How many jobs it has under way at most. */
  readonly concurrency: number;
  /** The jobs it works. Default: all that are registered. */
  readonly only?: readonly string[];
}

const log = Log.source("limmat.queue");
const shortestPause = 50;
const longestPause = 500;
const troublePause = Time.seconds(5);
// How long a job may wait here for a place before it is handed back, for others to take.
const longestWait = Time.seconds(1);

/**
 * Works jobs in this process, until it is told to end.
 *
 * It takes as many as it has hands for. When nothing is due it looks again after a pause that doubles from 50 to 500 ms;
 * a dispatch in this process ends the pause, and so does the time of the next job.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #hands: Hands;
  readonly #supply: Supply;
  #loop: Promise<void> | undefined;
  #stopReclaiming: (() => void) | undefined;
  #reachedAt = Time.timestamp();
  #pause = shortestPause;
  #isWoken = false;
  #isFull = false;
  #isEnding = false;
  #wakeUp: (() => void) | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#hands = new Hands(options.store, options.registry, () => {
      if (this.#isFull) this.wake();
    });
    this.#supply = new Supply(options.store);
  }

  start(): void {
    this.#loop ??= this.#work();
    void this.#reclaim();
  }

  /** Looks for jobs now. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Aborts a job that was cancelled in this process. */
  cancel(id: string): void {
    // It is not known here which claim was cancelled: one that was made since is handed back.
    this.#hands.release(this.#supply.forget(id));
    this.#hands.cancel(id);
  }

  /** Takes no more jobs, and waits for those under way; after `grace` milliseconds they are handed back. */
  async end(grace: number): Promise<void> {
    this.#isEnding = true;
    this.#stopReclaiming?.();
    this.wake();
    await this.#loop;
    this.#hands.release(this.#supply.empty());
    await this.#hands.end(grace);
  }

  get #names(): readonly string[] {
    const { names } = this.#options.registry;
    const { only } = this.#options;
    return only === undefined ? names : names.filter((name) => only.includes(name));
  }

  async #work(): Promise<void> {
    let isAway = false;
    while (!this.#isEnding) {
      this.#isWoken = false;
      try {
        await this.#fill();
        if (isAway) log.info("The queue can be reached again");
        isAway = false;
      } catch (error) {
        // Once per outage: it is tried every few seconds.
        if (!isAway) log.error("The queue cannot be reached, and is tried again", { error });
        isAway = true;
        await this.#rest(troublePause);
      }
    }
  }

  /** Fills the free hands, and rests when they are full or nothing is due. */
  async #fill(): Promise<void> {
    const { concurrency } = this.#options;
    const names = this.#names;
    if (names.length === 0) return this.#rest(longestPause);
    this.#begin();
    const free = concurrency - this.#hands.busy;
    if (free <= 0) return this.#restUntilFree();
    const { count, isMore } = await this.#supply.claim(names, free);
    this.#begin();
    if (isMore || this.#supply.size > 0) return;
    if (count > 0) this.#pause = shortestPause;
    // What is due and was not given is another's: it must not be asked for again and again.
    else await this.#restLonger(Infinity);
    await this.#restUntilDue(names);
  }

  #begin(): void {
    while (this.#hands.busy < this.#options.concurrency && !this.#isEnding) {
      const claimed = this.#supply.next();
      if (claimed === undefined) return;
      const { leased_until } = claimed.instance;
      // What waited so long that it may be another's is handed back, unless it is.
      if (leased_until !== undefined && leased_until.getTime() <= Time.timestamp()) this.#hands.release([claimed]);
      else this.#hands.begin(claimed);
    }
  }

  async #restUntilFree(): Promise<void> {
    this.#isFull = true;
    await this.#rest(longestWait);
    this.#isFull = false;
    if (this.#supply.waited >= longestWait) this.#hands.release(this.#supply.empty());
    // The places of those that end in the same turn of the event loop are filled together.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Looks from time to time whether something is due: that costs less than to take nothing. */
  async #restUntilDue(names: readonly string[]): Promise<void> {
    while (!this.#isWoken && !this.#isEnding) {
      const due = await this.#options.store.nextDue(names);
      const wait = due === undefined ? Infinity : due.getTime() - Time.timestamp();
      if (wait <= 0) return;
      await this.#restLonger(wait);
    }
    this.#pause = shortestPause;
  }

  /** Rests twice as long as the last time, unless the limit is shorter. */
  async #restLonger(limit: number): Promise<void> {
    await this.#rest(Math.min(limit, this.#pause));
    this.#pause = Math.min(2 * this.#pause, longestPause);
  }

  /** Waits so many milliseconds, or until it is woken. */
  async #rest(ms: number): Promise<void> {
    if (this.#isWoken || this.#isEnding) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = Time.after(ms, () => resolve(undefined));
    this.#wakeUp = () => resolve(undefined);
    await promise;
    cancel();
  }

  /** Takes over from workers that have died, now and every 10 s. */
  async #reclaim(): Promise<void> {
    if (this.#isEnding) return;
    this.#stopReclaiming = Time.after(beatTime, () => void this.#reclaim());
    const { store } = this.#options;
    try {
      await store.nextDue(this.#names);
      const now = Time.timestamp();
      const wasAway = now - this.#reachedAt > leaseTime - beatTime;
      this.#reachedAt = now;
      // When the store was away, or the computer slept, nobody could say that they live: first they may.
      if (wasAway) return;
      if (await reclaim(store, this.#names, this.#hands)) this.wake();
    } catch (error) {
      log.error("The jobs of workers that have died could not be looked for", { error });
    }
  }
}

/** Frees the jobs of workers that have died, tells those that have thereby failed, and gives whether there were any. */
export async function reclaim(store: Store, names: readonly string[], hands: Hands): Promise<boolean> {
  if (names.length === 0) return false;
  const error = errors.E_QUEUE_LOST();
  // A store gives them in parts; what is freed is pending, and so each part is another.
  for (let isAnyFreed = false; ;) {
    const { freed, failed } = await store.reclaim(names, textOf(error));
    if (freed + failed.length === 0) return isAnyFreed;
    log.warning("Jobs whose worker has died are taken over", { jobs: freed + failed.length });
    for (const claimed of failed) {
      const { name, id } = claimed.instance;
      log.error("A job has failed", { ...claimed.log_fields, job: name, job_id: id, error });
      hands.failed(claimed, error, textOf(error));
    }
    isAnyFreed ||= freed > 0;
  }
}
