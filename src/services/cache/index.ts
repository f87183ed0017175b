export type { RateLimit, RateLimitDecision } from "../../token-bucket/index.ts";
export type { Cache, ExpiryOptions, GetOrSetOptions, LockOptions } from "./contract.ts";
export { memory, type MemoryCacheOptions } from "./store/memory.ts";
export { sqlCache as sql } from "./store/sql.ts";
export { typed, type TypedCache, type TypedCacheOptions } from "./typed.ts";
