import { type LeaseLoss, LeaseRenewer, type LeaseRenewerOptions } from "./lease-renewer.ts";

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
