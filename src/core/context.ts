/**
 * Key-value pairs that a caller passes to a single service call, such as `[["pool", "reporting"]]`.
 *
 * Read-only, valid for that one call, empty by default. Each implementation reads only the keys that it supports.
 */
export type Context = readonly (readonly [key: string, value: string])[];

/** Last argument of a service's operation. */
export interface ContextOptions {
  readonly ctx?: Context;
}

/** Options of an operation that can be cancelled. */
export interface CancellableOptions extends ContextOptions {
  /** Cancels the operation when it is aborted; the operation then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Returns the value of a key, or `undefined`. The first pair of a repeated key counts. */
export function get(ctx: Context | undefined, key: string): string | undefined {
  return ctx?.find(([name]) => name === key)?.[1];
}
