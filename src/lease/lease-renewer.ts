import { settlesWithin, Time, TimeInternals } from "../time/index.ts";

/**
 * Largest plausible difference between the clocks of two machines, in milliseconds: a day. A stored lease that ends
 * further ahead was written by a wrong clock and counts as expired.
 */
export const maxClockErrorMs = 86_400_000;

/** Reason why a lease was lost. */
export interface LeaseLoss {
  /** True if no renewal succeeded within the duration of the lease. False if a renewal reported that it is not held any more. */
  readonly isExpired: boolean;
  /** Error of the last renewal that failed since the lease was renewed; `undefined` without one. */
  readonly cause: unknown;
}

/** Options of a `LeaseRenewer`. */
export interface LeaseRenewerOptions<Lease> {
  /** Duration of a lease, in milliseconds. Leases are renewed after each third of it. */
  readonly durationMs: number;
  /** Extends leases by `durationMs` from now, with one call for all. Returns the ones that are still held. */
  readonly renew: (leases: readonly Lease[]) => Promise<ReadonlySet<Lease>>;
  /** Called once per lost lease, which is no longer renewed from then on. */
  readonly onLoss: (lease: Lease, loss: LeaseLoss) => void;
  /** Called with the error of a failed renewal. The next renewal follows after a third of the duration. */
  readonly onError: (error: unknown) => void;
  /**
   * True if a lease counts as lost once `durationMs` have passed since its last renewal began. False for work whose
   * store rejects the result of a lost lease: then only a renewal can report the loss. Default true.
   */
  readonly canExpire?: boolean;
  /** True if the timers keep the process alive. Default true. */
  readonly keepAlive?: boolean;
}

interface LeaseState {
  /** Start of the last successful renewal, or the time of acquisition, on the monotonic clock. */
  renewedAt: number;
  failure: unknown;
  cancelExpiry: () => void;
}

/**
 * Renews acquired leases, all with one call, until they are removed or lost.
 *
 * Renewals start at fixed intervals of a third of the duration. A renewal without an answer neither delays the next one
 * nor keeps a lease from expiring; a late answer still counts, from the time at which its renewal started.
 */
export class LeaseRenewer<Lease> {
  readonly #options: LeaseRenewerOptions<Lease>;
  readonly #leases = new Map<Lease, LeaseState>();
  #cancelRenewal: (() => void) | undefined;
  #renewal: Promise<void> | undefined;

  constructor(options: LeaseRenewerOptions<Lease>) {
    this.#options = options;
  }

  /** Adds a lease that was acquired at `acquiredAt`, a time of `Time.monotonic`. Default: now. */
  add(lease: Lease, acquiredAt: number = Time.monotonic()): void {
    const state = { renewedAt: acquiredAt, failure: undefined, cancelExpiry: () => {} };
    this.#leases.set(lease, state);
    this.#startExpiry(lease, state);
    this.#cancelRenewal ??= this.#scheduleRenewal();
  }

  /** Stops the renewal of a lease. Without leases no timer is left. */
  remove(lease: Lease): void {
    this.#leases.get(lease)?.cancelExpiry();
    this.#leases.delete(lease);
    if (this.#leases.size > 0) return;
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
  }

  /** Stops the renewal of all leases. */
  clear(): void {
    for (const lease of this.#leases.keys()) this.remove(lease);
  }

  /** Stops all renewals. Resolves when the one in progress has settled, after a third of the duration at most. */
  async end(): Promise<void> {
    this.clear();
    if (this.#renewal === undefined) return;
    const { durationMs, keepAlive = true } = this.#options;
    await settlesWithin(this.#renewal, durationMs / 3, { keepAlive });
  }

  #after(ms: number, callback: () => void): () => void {
    return TimeInternals.after(Math.max(0, ms), callback, { keepAlive: this.#options.keepAlive ?? true });
  }

  #scheduleRenewal(): () => void {
    return this.#after(this.#options.durationMs / 3, () => {
      // Scheduled before the call, so that a renewal without an answer does not stop the next one.
      this.#cancelRenewal = this.#scheduleRenewal();
      const renewal = this.#renew().finally(() => {
        if (this.#renewal === renewal) this.#renewal = undefined;
      });
      this.#renewal = renewal;
    });
  }

  async #renew(): Promise<void> {
    const startedAt = Time.monotonic();
    const leases = [...this.#leases.keys()];
    try {
      const held = await this.#options.renew(leases);
      for (const lease of leases) {
        if (held.has(lease)) this.#extend(lease, startedAt);
        else this.#lose(lease, false);
      }
    } catch (error) {
      for (const lease of leases) {
        const state = this.#leases.get(lease);
        if (state !== undefined && startedAt >= state.renewedAt) state.failure = error;
      }
      if (leases.some((lease) => this.#leases.has(lease))) this.#options.onError(error);
    }
  }

  #extend(lease: Lease, startedAt: number): void {
    const state = this.#leases.get(lease);
    // Answers can arrive out of order.
    if (state === undefined || startedAt < state.renewedAt) return;
    state.renewedAt = startedAt;
    state.failure = undefined;
    state.cancelExpiry();
    this.#startExpiry(lease, state);
  }

  #startExpiry(lease: Lease, state: LeaseState): void {
    const { canExpire = true, durationMs } = this.#options;
    if (!canExpire) return;
    const remainingMs = state.renewedAt + durationMs - Time.monotonic();
    state.cancelExpiry = this.#after(remainingMs, () => this.#lose(lease, true));
  }

  #lose(lease: Lease, isExpired: boolean): void {
    const state = this.#leases.get(lease);
    if (state === undefined) return;
    this.remove(lease);
    this.#options.onLoss(lease, { isExpired, cause: state.failure });
  }
}

/** A lease that is renewed until `end` is called. */
export interface HeldLease {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** Stops the renewals. Resolves when the renewal in progress has settled, after a third of the duration at most. */
  end(): Promise<void>;
}

/** Options of `holdLease`. */
export interface HoldLeaseOptions extends Pick<LeaseRenewerOptions<never>, "durationMs" | "keepAlive" | "onError"> {
  /** Time at which the acquisition started, on the clock of `Time.monotonic`. */
  readonly acquiredAt: number;
  /** Extends the lease by `durationMs` from now. Returns false if the lease is lost. */
  readonly renew: () => Promise<boolean>;
  /** Returns the reason with which the signal is aborted. */
  readonly lossReason: (loss: LeaseLoss) => Error;
}

/** Renews one acquired lease, and aborts a signal when it is lost. */
export function holdLease({ acquiredAt, renew, lossReason, ...options }: HoldLeaseOptions): HeldLease {
  const lost = new AbortController();
  const renewer = new LeaseRenewer<AbortController>({
    ...options,
    renew: async (leases) => new Set((await renew()) ? leases : []),
    onLoss: (_, loss) => lost.abort(lossReason(loss)),
  });
  renewer.add(lost, acquiredAt);
  return { signal: lost.signal, end: () => renewer.end() };
}
