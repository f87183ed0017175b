import type { ContextOptions, Result } from "../../core/index.ts";
import type { ListOptions, OwnerOptions, StoredToken } from "./contract.ts";

type Status = StoredToken["status"];

/** How many tokens a list has at most. */
export const mostListed = 1000;

/** A change of one token's status, made only if it is what it is thought to be. */
export interface Change extends ContextOptions {
  readonly from: Status;
  readonly to: Status;
  /** Only if it is valid at this time. */
  readonly validAt?: Date;
}

/** What is done or not done as a whole. */
export type Work<T, E> = () => Promise<Result<T, E> | undefined>;

/** Where tokens are kept: by the hash of their text, and for one purpose each. Knows nothing of tokens themselves. */
export interface TokenStore {
  insert(token: StoredToken, hash: string, options: ContextOptions): Promise<void>;
  find(hash: string, purpose: string, options: ContextOptions): Promise<StoredToken | undefined>;
  /** Notes that a token was used. */
  touch(id: string, at: Date, options: ContextOptions): Promise<void>;
  /** Changes a status in one step, and tells whether it did: of many at the same time, one does. */
  change(hash: string, purpose: string, change: Change): Promise<boolean>;
  /** Ends one active token by its id, or by its id and owner. */
  endById(id: string, options: ContextOptions & { readonly owner?: string }): Promise<boolean>;
  /** Ends all tokens of an owner that are not ended already. */
  endAll(options: OwnerOptions): Promise<void>;
  /** Deletes all tokens of an owner. */
  deleteAll(options: OwnerOptions): Promise<void>;
  list(options: ListOptions): Promise<readonly StoredToken[]>;
  /** Deletes what was expired at a time, and tells how many. */
  purge(expiredAt: Date, options: ContextOptions): Promise<number>;
  /** Runs work so that its changes are undone when it throws or gives an error: by a transaction, or else by `undo`. */
  together<T, E>(work: Work<T, E>, undo: () => Promise<unknown>, options: ContextOptions): ReturnType<Work<T, E>>;
}

/** As `TokenStore.together`, where there are no transactions. */
export async function undoOnFailure<T, E>(work: Work<T, E>, undo: () => Promise<unknown>): ReturnType<Work<T, E>> {
  let isDone = false;
  try {
    const result = await work();
    isDone = result?.ok !== false;
    return result;
  } finally {
    if (!isDone) await undo();
  }
}
