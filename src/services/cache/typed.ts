import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type ContextOptions, error, ok, type Result } from "../../core/index.ts";
import type { Cache, ExpiryOptions, GetOrSetOptions } from "./contract.ts";
import { checkKey } from "./engine/checks.ts";
import { errors } from "./errors.ts";

/** Options of `Cache.typed`. */
export interface TypedCacheOptions<T> {
  readonly cache: Cache;
  /** Prefix of the keys in the underlying cache, such as `"rates "`. Use a different one for each type. */
  readonly prefix: string;
  /** Schema of the values, from any library that implements Standard Schema. Its input is the parsed JSON. */
  readonly schema: StandardSchemaV1<unknown, T>;
}

/**
 * A view of a cache whose values have one type. Values are stored as JSON and validated when they are read. A value that
 * the schema refuses, such as one written by another version of the application, counts as missing.
 */
export interface TypedCache<T> {
  /** Like `Cache.findOpt`. */
  findOpt(key: string, options?: ContextOptions): Promise<T | undefined>;
  /** Like `Cache.set`. Throws E_CACHE_VALUE if the schema refuses the JSON of the value. */
  set(key: string, value: T | undefined, options?: ExpiryOptions): Promise<void>;
  /** Like `Cache.getOrSet`. Throws E_CACHE_VALUE if the schema refuses the computed value. */
  getOrSet(key: string, options: GetOrSetOptions, compute: () => Promise<T> | T): Promise<T>;
  /** Like `Cache.delete`. */
  delete(key: string, options?: ContextOptions): Promise<boolean>;
  /** Like `Cache.clear`, limited to the keys of this view. */
  clear(options?: ContextOptions & { readonly prefix?: string }): Promise<number>;
}

/**
 * Returns a view of a cache whose values have one type. Throws E_CACHE_KEY for an invalid prefix.
 *
 * @example
 * const rates = Cache.typed({ cache, prefix: "rates ", schema: rateSchema });
 * const rate = await rates.getOrSet("CHF", { expiresInMs: Time.hours(1) }, () => loadRate("CHF"));
 */
export function typed<T>({ cache, prefix, schema }: TypedCacheOptions<T>): TypedCache<T> {
  checkKey(prefix);

  const decode = async (text: string): Promise<Result<T>> => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return error("it is not JSON");
    }
    const result = await schema["~standard"].validate(json);
    if (result.issues === undefined) return ok(result.value);
    return error(`its schema refuses it: ${result.issues.map(({ message }) => message).join("; ")}`);
  };
  const decodeOrThrow = async (text: string): Promise<T> => {
    const decoded = await decode(text);
    if (!decoded.ok) throw errors.E_CACHE_VALUE(decoded.error);
    return decoded.value;
  };
  const encode = async (value: T): Promise<string> => {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw errors.E_CACHE_VALUE("it has no JSON representation");
    await decodeOrThrow(text);
    return text;
  };

  return {
    findOpt: async (key, options) => {
      const text = await cache.findOpt(prefix + key, options);
      const decoded = text === undefined ? undefined : await decode(text);
      return decoded?.ok === true ? decoded.value : undefined;
    },
    set: async (key, value, options) =>
      cache.set(prefix + key, value === undefined ? undefined : await encode(value), options),
    getOrSet: async (key, options, compute) => {
      const computeText = async (): Promise<string> => encode(await compute());
      const decoded = await decode(await cache.getOrSet(prefix + key, options, computeText));
      if (decoded.ok) return decoded.value;
      // The schema refuses the stored value: another version of the application wrote it.
      await cache.delete(prefix + key, options);
      return decodeOrThrow(await cache.getOrSet(prefix + key, options, computeText));
    },
    delete: (key, options) => cache.delete(prefix + key, options),
    clear: (options) => cache.clear({ ...options, prefix: prefix + (options?.prefix ?? "") }),
  };
}
