import type { CancellableOptions, ContextOptions, Service } from "../../core/index.ts";

/** Request with an idempotency key. */
export interface KeyedRequest {
  /** Key of the client, 1 to 255 characters. */
  readonly key: string;
  /** Owner of the key and operation that it is for, such as user and route. Equal keys of two scopes are independent. */
  readonly scope: readonly string[];
  /** Content of the request. The same key with another content is refused. */
  readonly content: Uint8Array | string;
}

/** Response that is stored for repetitions of a request. */
export interface StoredResponse {
  readonly status: number;
  /** Header fields; `undefined` if the response was too large or a stream, and only its status is stored. */
  readonly headers: readonly (readonly [name: string, value: string])[] | undefined;
  readonly body: Uint8Array | undefined;
}

/** Outcome of the work of a request. */
export interface WorkOutcome<T> {
  readonly value: T;
  /** Response to store. `undefined` if a repetition is to run the work again. */
  readonly stored: StoredResponse | undefined;
  /** True if the changes of the work are to be undone. Default false. */
  readonly isFailed?: boolean;
}

/**
 * Result of `run`:
 *
 * - `completed`: this call ran the work
 * - `repeated`: an earlier call ran it, and its response was stored
 * - `running`: another call runs it now
 * - `reused`: the key belongs to a request with another content
 */
export type RunResult<T> =
  | { readonly kind: "completed"; readonly value: T }
  | { readonly kind: "repeated"; readonly response: StoredResponse }
  | { readonly kind: "running" }
  | { readonly kind: "reused" };

/** Options of `run`. */
export interface RunOptions extends ContextOptions {
  /** Callback before the work, outside of its transaction. If it throws, the work does not run, and the key is free again. */
  readonly beforeWork?: () => Promise<void>;
  /**
   * False if the work runs in no transaction of the service. Its changes then stay, also if the lease has ended or the response
   * could not be stored. Default true.
   */
  readonly hasTransaction?: boolean;
}

/** Service that runs the work of a request once, however often the request is repeated. */
export interface Idempotency extends Service.Service {
  /**
   * Runs the work of a request unless a request with the same scope, key and content has run within 24 hours.
   *
   * A service in a database runs the work and stores the response in one transaction: both take effect, or neither does.
   * Call it outside of a transaction, because other processes must see that the key is in use. If the process is killed
   * during the work, the key is free again after the lease. Work that throws frees the key at once.
   *
   * @throws E_IDEMPOTENCY_LEASE_LOST if the work took longer than the lease and another call took over; its changes are undone
   */
  run<T>(request: KeyedRequest, work: () => Promise<WorkOutcome<T>>, options?: RunOptions): Promise<RunResult<T>>;
  /** Deletes expired keys and returns their number. The service does it regularly. */
  purge(options?: CancellableOptions): Promise<number>;
}

/** Options of every idempotency service. */
export interface IdempotencyOptions {
  /** Name of the service. Default `idempotency`. */
  readonly name?: string;
  /** Time for which a response is stored, in milliseconds. Default 24 hours. */
  readonly expiresInMs?: number;
  /** Time after which the key of a killed process is free again, in milliseconds: longer than any request. Default 60 s. */
  readonly leaseMs?: number;
}
