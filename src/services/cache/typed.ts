import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ContextOptions } from "../../core/index.ts";
import { checkKey } from "./checks.ts";
import type { Cache, ClearOptions, ExpiryOptions, GetOrSetOptions } from "./contract.ts";
import { errors } from "./errors.ts";

/** How values of a type are kept in a cache. */
export interface TypedOptions<T> {
  readonly cache: Cache;
  /** What the keys begin with in the cache: `"rates "`. It keeps values of different types apart. */
  readonly prefix: string;
  /** What the values are, by any library that knows Standard Schema. It reads what JSON makes of them. */
  readonly schema: StandardSchemaV1<unknown, T>;
}

/**
 * A part of a cache whose values are of one type, kept as JSON and checked when they are read. What was written by a
 * version of the application that had other ideas of the type counts as missing.
 */
export interface TypedCache<T> {
  /** As `Cache.find`. */
  find(key: string, options?: ContextOptions): Promise<T | undefined>;
  /** As `Cache.set`. Throws E_CACHE_VALUE when the schema refuses the value, or what JSON makes of it. */
  set(key: string, value: T | undefined, options?: ExpiryOptions): Promise<void>;
  /** As `Cache.getOrSet`. Throws E_CACHE_VALUE when the schema refuses what `make` gives. */
  getOrSet(key: string, options: GetOrSetOptions, make: () => Promise<T> | T): Promise<T>;
  /** As `Cache.delete`. */
  delete(key: string, options?: ContextOptions): Promise<boolean>;
  /** As `Cache.clear`, for this part. */
  clear(options?: ClearOptions): Promise<number>;
}

/**
 * Gives a part of a cache whose values are of one type. Throws E_CACHE_KEY for a prefix that cannot begin a key.
 *
 * @example
 * const rates = Cache.typed({ cache, prefix: "rates ", schema: rateSchema });
 * const rate = await rates.getOrSet("CHF", { expiresIn: Time.hours(1) }, () => loadRate("CHF"));
 */
export function typed<T>({ cache, prefix, schema }: TypedOptions<T>): TypedCache<T> {
  checkKey(prefix);

  const decode = async (text: string): Promise<{ readonly value: T } | { readonly problem: string }> => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return { problem: "it is no JSON" };
    }
    const result = await schema["~standard"].validate(json);
    if (result.issues === undefined) return { value: result.value };
    return { problem: `its schema refuses it: ${result.issues.map(({ message }) => message).join("; ")}` };
  };
  const decodeOrThrow = async (text: string): Promise<T> => {
    const decoded = await decode(text);
    if ("problem" in decoded) throw errors.E_CACHE_VALUE(decoded.problem);
    return decoded.value;
  };
  const encode = async (value: T): Promise<string> => {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw errors.E_CACHE_VALUE("JSON has nothing for it");
    await decodeOrThrow(text);
    return text;
  };

  return {
    find: async (key, options) => {
      const text = await cache.find(prefix + key, options);
      const decoded = text === undefined ? undefined : await decode(text);
      return decoded !== undefined && "value" in decoded ? decoded.value : undefined;
    },
    set: async (key, value, options) =>
      cache.set(prefix + key, value === undefined ? undefined : await encode(value), options),
    getOrSet: async (key, options, make) => {
      const makeText = async (): Promise<string> => encode(await make());
      const decoded = await decode(await cache.getOrSet(prefix + key, options, makeText));
      if ("value" in decoded) return decoded.value;
      // Of another version of the application: made anew as if it were not there.
      await cache.delete(prefix + key, options);
      return decodeOrThrow(await cache.getOrSet(prefix + key, options, makeText));
    },
    delete: (key, options) => cache.delete(prefix + key, options),
    clear: (options) => cache.clear({ ...options, prefix: prefix + (options?.prefix ?? "") }),
  };
}
