import { isError, ok } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "./errors.ts";
import { type Execution, execute, patience } from "./execution.ts";
import { type Ended, settlementOf } from "./outcome.ts";
import type { Registry } from "./registry.ts";
import type { Claimed, Held, Settlement, Store } from "./store.ts";

/** How long nobody else may have a job that was claimed, in milliseconds. */
export const leaseTime: number = Time.seconds(30);

/** How often a worker says that it lives, in milliseconds. */
export const beatTime: number = Time.seconds(10);

const log = Log.source("limmat.queue");
const settleAgain = Time.seconds(1);
const cutOff = ["E_QUEUE_ENDING", "E_QUEUE_CANCELLED"];

/**
 * The jobs that this process has in hand: begins them, keeps their leases, and writes down what becomes of them. Many
 * that end at about the same time are written down together.
 */
export class Hands {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #onFree: () => void;
  readonly #held = new Map<string, Execution>();
  readonly #unsettled = new Map<Settlement, Ended>();
  readonly #hooks = new Set<Promise<void>>();
  #busy = 0;
  #settling: Promise<void> | undefined;
  #stopBeating: (() => void) | undefined;
  #isOver = false;

  /** `onFree` is called when a job has ended, or its end was written down. */
  constructor(store: Store, registry: Registry, onFree: () => void) {
    this.#store = store;
    this.#registry = registry;
    this.#onFree = onFree;
  }

  /** How many jobs are under way. */
  get busy(): number {
    return this.#busy;
  }

  /** Begins a job. */
  begin(claimed: Claimed): void {
    const { instance } = claimed;
    const job = this.#registry.find(instance.name);
    if (job === undefined) return;
    const execution = execute(job, claimed);
    this.#held.set(keyOf(heldOf(claimed)), execution);
    this.#busy += 1;
    this.#stopBeating ??= Time.after(beatTime, () => void this.#beat());
    void this.#end(execution);
  }

  /** Aborts a job that was cancelled here, without waiting for the next beat. */
  cancel(id: string): void {
    for (const { claimed, abort } of this.#held.values()) {
      if (claimed.instance.id === id) abort(errors.E_QUEUE_CANCELLED());
    }
  }

  /** Hands back what was claimed and is not begun. */
  release(claimed: readonly Claimed[]): void {
    if (claimed.length === 0) return;
    for (const each of claimed) this.#unsettled.set({ ...heldOf(each), to: "released" }, ok(undefined));
    this.#settling ??= this.#settle();
  }

  /** Waits until nothing is in hand any more, or all is given up, and what had to be told of it is told. */
  async settled(): Promise<void> {
    while (!this.#isOver && (this.#held.size > 0 || this.#settling !== undefined)) {
      await Promise.all([...this.#held.values()].map(({ ended }) => ended));
      await this.#settling;
    }
    await Promise.all(this.#hooks);
  }

  /** Waits for what is in hand, so many milliseconds; what is not done then is handed back. */
  async end(grace: number): Promise<void> {
    const settled = this.settled();
    if (await isWithin(settled, grace)) return;
    log.warning("Jobs are handed back, because the process ends", { jobs: this.#busy });
    for (const { abort } of this.#held.values()) abort(errors.E_QUEUE_ENDING());
    await isWithin(settled, 2 * patience);
    this.#isOver = true;
    this.#stopBeating?.();
  }

  async #end(execution: Execution): Promise<void> {
    const started = Time.monotonic();
    const ended = await execution.ended;
    this.#busy -= 1;
    const { claimed, job } = execution;
    // A try that was cut off here is no failure: what was cancelled is refused, what began anew meanwhile is handed back.
    const isCutOff = !ended.ok && cutOff.some((code) => isError(ended.error.error, code));
    const settlement: Settlement = isCutOff
      ? { ...heldOf(claimed), to: "released" }
      : settlementOf(heldOf(claimed), claimed.instance, job, ended);
    tell(execution, ended, settlement, Time.monotonic() - started);
    this.#unsettled.set(settlement, ended);
    this.#settling ??= this.#settle();
    this.#onFree();
  }

  /** Writes down what has ended, as long as there is something. */
  async #settle(): Promise<void> {
    // What ends in the same turn of the event loop is written down together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#unsettled.size > 0 && !this.#isOver) {
      const settlements = [...this.#unsettled.keys()];
      try {
        this.#letGo(settlements, await this.#store.settle(settlements));
      } catch (error) {
        log.error("The ends of jobs could not be written down, and are tried again", { error });
        await Time.sleep(settleAgain);
      }
    }
    this.#settling = undefined;
    if (this.#held.size === 0) {
      this.#stopBeating?.();
      this.#stopBeating = undefined;
    }
    this.#onFree();
  }

  #letGo(settlements: readonly Settlement[], accepted: ReadonlySet<Settlement>): void {
    for (const settlement of settlements) {
      const ended = this.#unsettled.get(settlement);
      const claimed = this.#held.get(keyOf(settlement))?.claimed;
      this.#unsettled.delete(settlement);
      this.#held.delete(keyOf(settlement));
      if (claimed === undefined) continue;
      if (!accepted.has(settlement)) {
        log.warning("The end of a job was not accepted: it was cancelled, or another process has taken it over", {
          job: claimed.instance.name,
          job_id: settlement.id,
        });
      } else if (settlement.to === "failed" && ended?.ok === false) {
        this.failed(claimed, ended.error.error, settlement.error);
      } else if (settlement.to !== "released") {
        this.#registry.count(claimed.instance.name, settlement.to === "succeeded" ? "succeeded" : "retried");
      }
    }
  }

  /** Counts a job that has failed for good, and calls its hook. */
  failed(claimed: Claimed, error: unknown, text: string): void {
    const { instance, log_fields } = claimed;
    this.#registry.count(instance.name, "failed");
    const now = Time.now();
    const over = { status: "failed", last_error: text, last_error_at: now, finished_at: now } as const;
    const failure = { error, ctx: instance.ctx, instance: { ...instance, ...over, leased_until: undefined } };
    const call = async (): Promise<void> => {
      try {
        await this.#registry.find(instance.name)?.failed?.(failure);
      } catch (thrown) {
        log.error("What a job does when it has failed failed itself", { error: thrown });
      }
    };
    const hook = Log.withFields({ ...log_fields, job: instance.name, job_id: instance.id }, call);
    this.#hooks.add(hook);
    void hook.then(() => this.#hooks.delete(hook));
  }

  /** Extends the leases, and aborts what is no longer held. */
  async #beat(): Promise<void> {
    const held = [...this.#held.values()].map(({ claimed }) => heldOf(claimed));
    if (held.length === 0) {
      this.#stopBeating = undefined;
      return;
    }
    this.#stopBeating = Time.after(beatTime, () => void this.#beat());
    try {
      const still = await this.#store.renew(held, new Date(Time.timestamp() + leaseTime));
      for (const each of held) {
        if (!still.has(each)) this.#held.get(keyOf(each))?.abort(errors.E_QUEUE_CANCELLED());
      }
    } catch (error) {
      log.error("The leases of jobs could not be extended, and are tried again", { error });
    }
  }
}

const keyOf = ({ id, lease }: Held): string => `${id} ${lease}`;

const heldOf = ({ instance: { id }, lease }: Claimed): Held => ({ id, lease });

function tell({ claimed }: Execution, ended: Ended, settlement: Settlement, ms: number): void {
  const { name, id, tries } = claimed.instance;
  const fields = { ...claimed.log_fields, job: name, job_id: id, try: tries, ms: Math.round(ms) };
  if (ended.ok) log.debug("A job has succeeded", fields);
  else if (settlement.to === "failed") log.error("A job has failed", { ...fields, error: ended.error.error });
  else if (settlement.to === "pending") {
    log.warning("A job failed and is tried again", {
      ...fields,
      error: ended.error.error,
      at: settlement.at.toISOString(),
    });
  }
}

async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const cancel = Time.after(ms, () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    cancel();
  }
}
