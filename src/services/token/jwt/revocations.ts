import { hash } from "node:crypto";
import type { ContextOptions } from "../../../core/index.ts";
import type { Work } from "../store.ts";

/** What is remembered of one token, or of all tokens of an owner. */
export interface Revocation {
  /** `revocationKey` of what it is about. */
  readonly hash: string;
  /** `owner`: tokens of an earlier generation are over. */
  readonly status: "inactive" | "consumed" | "owner";
  /** Of `owner`: a number that grows each time; a token carries the one of its making. */
  readonly generation: number;
  /** When it can be forgotten, because what it is about has expired. */
  readonly expires_at: Date;
}

/** Remembers which tokens are over before their time. */
export interface Revocations {
  find(hashes: readonly string[], options: ContextOptions): Promise<readonly Revocation[]>;
  /** Remembers a token, unless it is remembered already: of many at the same time, one gets `true`. */
  add(revocation: Revocation, options: ContextOptions): Promise<boolean>;
  /** Forgets a token that is `inactive`, and tells whether there was one. */
  remove(hash: string, options: ContextOptions): Promise<boolean>;
  /** Forgets a token, for `undo`. */
  forget(hash: string, options: ContextOptions): Promise<void>;
  /** Begins a new generation: the given one, or the next if that is not greater. */
  advance(revocation: Revocation, options: ContextOptions): Promise<void>;
  purge(expiredAt: Date, options: ContextOptions): Promise<number>;
  /** As that of `TokenStore`. */
  together<T, E>(work: Work<T, E>, undo: () => Promise<unknown>, options: ContextOptions): ReturnType<Work<T, E>>;
}

/** The key of a token, or of an owner's tokens: of one purpose, or with an empty purpose of all. */
export function revocationKey(...parts: readonly ["token", string] | readonly ["owner", string, string]): string {
  return hash("sha256", JSON.stringify(parts), "base64url");
}
