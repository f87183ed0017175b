import { hash } from "node:crypto";
import type { ContextOptions } from "../../../../core/index.ts";
import type { TransactionCallback } from "../contract.ts";

/** Revocation of one token, or of all tokens of an owner. */
export interface Revocation {
  /** `revocationKey` of the token or the owner. */
  readonly hash: string;
  /** Status of the token. `owner` revokes the tokens of earlier generations. */
  readonly status: "inactive" | "consumed" | "owner";
  /** Counter for `owner` that grows with each revocation. A token contains the value at its creation. */
  readonly generation: number;
  /** Time from which the revocation can be deleted, because its tokens have expired. */
  readonly expires_at: Date;
}

/** Store of revocations. */
export interface Revocations {
  find(hashes: readonly string[], options: ContextOptions): Promise<readonly Revocation[]>;
  /** Adds a revocation unless it exists. Of several concurrent calls, one returns true. */
  add(revocation: Revocation, options: ContextOptions): Promise<boolean>;
  /** Deletes the revocation of an `inactive` token. Returns true if there was one. */
  remove(hash: string, options: ContextOptions): Promise<boolean>;
  /** Deletes the revocation of a token, to undo `add`. */
  delete(hash: string, options: ContextOptions): Promise<void>;
  /** Advances to the given generation, or to the next one if that is not greater. */
  advanceGeneration(revocation: Revocation, options: ContextOptions): Promise<void>;
  purge(expiredAt: Date, options: ContextOptions): Promise<number>;
  /** Same as `TokenStore.transaction`. */
  transaction<T, E>(
    callback: TransactionCallback<T, E>,
    undo: () => Promise<unknown>,
    options: ContextOptions,
  ): ReturnType<TransactionCallback<T, E>>;
}

/** Returns the key of a token, or of an owner's tokens. An empty purpose stands for all purposes. */
export function revocationKey(...parts: readonly ["token", string] | readonly ["owner", string, string]): string {
  return hash("sha256", JSON.stringify(parts), "base64url");
}
