/**
 * What a single service call is given beside its arguments, such as `[["pool", "reporting"]]`.
 *
 * Read-only, valid for that one call, empty by default. Each implementation reads only the keys that it knows.
 */
export type Context = readonly (readonly [key: string, value: string])[];

/** The last argument of a service's operation. */
export interface ContextOptions {
  readonly ctx?: Context;
}

/** The value of a key, or `undefined`. Of a repeated key, the first counts. */
export function find(ctx: Context | undefined, key: string): string | undefined {
  return ctx?.find(([name]) => name === key)?.[1];
}
