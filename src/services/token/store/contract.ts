import type { CancellableOptions, ContextOptions, Result } from "../../../core/index.ts";
import type { OwnerOptions, StoredToken } from "../contract.ts";

type Status = StoredToken["status"];

export const maxListedTokens = 1000;

/** Conditional change of a token's status. */
export interface StatusChange extends ContextOptions {
  readonly from: Status;
  readonly to: Status;
  /** Time at which the token must not have expired. */
  readonly validAt?: Date;
}

/** Callback whose changes are kept or undone as a whole. */
type TransactionCallback<T, E> = () => Promise<Result<T, E> | undefined>;

/** Store of token records, found by the hash of the token's text and by purpose. It never sees the tokens themselves. */
export interface TokenStore {
  /** Inserts a token. With `replacesOthers`, it ends the other tokens of the owner and purpose, atomically. */
  insert(
    token: StoredToken,
    hash: string,
    options: ContextOptions & { readonly replacesOthers?: boolean },
  ): Promise<void>;
  findOpt(hash: string, purpose: string, options: ContextOptions): Promise<StoredToken | undefined>;
  recordUse(id: string, at: Date, options: ContextOptions): Promise<void>;
  /** Changes a status atomically. Returns true if it did; of several concurrent calls, one does. */
  changeStatus(hash: string, purpose: string, change: StatusChange): Promise<boolean>;
  /** Consumes an active token by its id, optionally only if it belongs to an owner. Returns true if it did. */
  consumeById(id: string, options: ContextOptions & { readonly owner?: string }): Promise<boolean>;
  /** Ends the tokens of an owner. Returns the number of those that were not ended yet. */
  consumeAll(options: OwnerOptions): Promise<number>;
  /** Deletes the tokens of an owner. Returns their number. */
  deleteAll(options: OwnerOptions): Promise<number>;
  list(options: Partial<OwnerOptions>): Promise<readonly StoredToken[]>;
  /** Deletes the tokens that have expired at a time and returns their number. */
  purge(expiredAt: Date, options: CancellableOptions): Promise<number>;
  /** Runs a callback. Undoes its changes if it throws or returns an error: by a transaction, or else by `undo`. */
  transaction<T, E>(
    callback: TransactionCallback<T, E>,
    undo: () => Promise<unknown>,
    options: ContextOptions & { readonly maxRetries?: number },
  ): ReturnType<TransactionCallback<T, E>>;
}

/** Implements `TokenStore.transaction` for stores without transactions. */
export async function undoOnFailure<T, E>(
  callback: TransactionCallback<T, E>,
  undo: () => Promise<unknown>,
): ReturnType<TransactionCallback<T, E>> {
  let isDone = false;
  try {
    const result = await callback();
    isDone = result?.ok !== false;
    return result;
  } finally {
    if (!isDone) await undo();
  }
}
