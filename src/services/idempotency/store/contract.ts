import type { CancellableOptions, ContextOptions } from "../../../core/index.ts";
import type { StoredResponse } from "../contract.ts";

/** Stored key. */
export interface KeyRecord {
  /** Hash of scope and key. */
  readonly id: string;
  /** Hash of the content of the request. */
  readonly fingerprint: string;
  /** Identifier of the call that runs or ran the work: a fencing token. */
  readonly token: string;
  /** Time from which another call may run the work, as long as there is no response. */
  readonly leasedUntil: Date;
  readonly expiresAt: Date;
  /** `undefined` while the work runs. */
  readonly response: StoredResponse | undefined;
}

/** Backend of an idempotency service. Each operation is atomic for all clients of the store. */
export interface IdempotencyStore {
  findOpt(id: string, options: ContextOptions): Promise<KeyRecord | undefined>;
  /**
   * Writes a key that is absent, expired at `now`, or whose lease of the same fingerprint has ended without a response. Returns
   * true if it was written; of several concurrent calls, one does.
   */
  claim(record: KeyRecord, now: Date, options: ContextOptions): Promise<boolean>;
  /** Writes the response of a key that still has the token and no response. Returns true if it was written. */
  complete(id: string, token: string, response: StoredResponse, options: ContextOptions): Promise<boolean>;
  /** Deletes a key that still has the token and no response. */
  release(id: string, token: string, options: ContextOptions): Promise<void>;
  /** Runs a callback, and undoes the changes of its database if it throws. */
  transaction<T>(callback: () => Promise<T>, options: ContextOptions): Promise<T>;
  /** Returns true for an error after which a transaction can only be undone. */
  isAborted(error: unknown): boolean;
  /** Deletes the keys that have expired at `now` and returns their number. */
  purge(now: Date, options: CancellableOptions): Promise<number>;
  /** Deletes all keys between tests. Absent if a database does so. */
  clear?(options: ContextOptions): Promise<void>;
}
