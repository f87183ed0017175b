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

/** Returns the value of a key, or `undefined`. The first pair of a repeated key counts. */
export function get(ctx: Context | undefined, key: string): string | undefined {
  return ctx?.find(([name]) => name === key)?.[1];
}
