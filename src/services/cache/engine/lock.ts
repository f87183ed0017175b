import { holdLease, type LeaseLoss } from "../../../lease/index.ts";
import { Log } from "../../../log/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { CacheStore, EntryKey } from "../store/contract.ts";

/** A held lock. It is free for others after `release`, or a lease after its holder died. */
export interface Lock {
  /** Aborted when the lock may be lost. */
  readonly signal: AbortSignal;
  /** Releases the lock. Never throws: if the store fails, the lock expires with its lease. */
  release(): Promise<void>;
}

const log = Log.source("limmat.cache");

/**
 * Acquires a lock without waiting. Returns `undefined` if another holder has it.
 *
 * The lock is an entry whose value identifies its owner. It expires after `leaseMs` and is renewed every third of that time,
 * so the lock of a dead process is free soon.
 */
export async function acquireLock(store: CacheStore, entryKey: EntryKey, leaseMs: number): Promise<Lock | undefined> {
  const owner = Random.token();
  const now = TimeInternals.timestamp();
  const requestedAt = Time.monotonic();
  const entry = { value: owner, expiresAt: now + leaseMs, keptUntil: now + leaseMs };
  try {
    if (!(await store.setIfAbsent(entryKey, entry, now))) return undefined;
  } catch (error) {
    // The write may have succeeded despite the error. Without removal, others would wait for the end of an unused lease.
    store.remove(entryKey, TimeInternals.timestamp(), owner).catch(() => {});
    throw error;
  }

  const lease = holdLease({
    durationMs: leaseMs,
    acquiredAt: requestedAt,
    renew: () => {
      const renewedAt = TimeInternals.timestamp();
      return store.extend(entryKey, owner, renewedAt + leaseMs, renewedAt);
    },
    lossReason,
    onError: (error) => log.warning("A lock could not be renewed", { key: entryKey.key, error }),
    keepAlive: false,
  });
  return {
    signal: lease.signal,
    release: async () => {
      await lease.end();
      try {
        await store.remove(entryKey, TimeInternals.timestamp(), owner);
      } catch (error) {
        log.warning("A lock could not be released; it expires with its lease", { key: entryKey.key, error });
      }
    },
  };
}

function lossReason({ isExpired, cause }: LeaseLoss): Error {
  if (!isExpired) return new Error("The lock was lost: its lease ended before it could be renewed");
  const message = "The lock may be lost: it could not be renewed within its lease";
  return new Error(message, cause === undefined ? {} : { cause });
}
