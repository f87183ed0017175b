/** A value, or the reason why there is none: what functions return that can fail through a user's fault. */
export type Result<T, E = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** A result that holds a value. */
export function ok(): Result<undefined, never>;
export function ok<T>(value: T): Result<T, never>;
export function ok(value?: unknown): Result<unknown, never> {
  return { ok: true, value };
}

/** A result that holds the reason of a failure. */
export function error<E>(reason: E): Result<never, E> {
  return { ok: false, error: reason };
}
