/** Outcome of a function that can fail through a user's mistake: a value, or the reason of the failure. */
export type Result<T, E = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** Returns a successful result. */
export function ok(): Result<undefined, never>;
export function ok<T>(value: T): Result<T, never>;
export function ok(value?: unknown): Result<unknown, never> {
  return { ok: true, value };
}

/** Returns a failed result. */
export function error<E>(reason: E): Result<never, E> {
  return { ok: false, error: reason };
}
