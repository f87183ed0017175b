export type { RateLimit, RateLimitDecision } from "../../token-bucket/index.ts";
export type { Cache, ClearOptions, ExpiryOptions, GetOrSetOptions, IncrementOptions, LockOptions } from "./contract.ts";
export { memory, type MemoryCacheOptions } from "./store/memory/memory.ts";
export { sql, type SqlCacheOptions } from "./store/sql/sql.ts";
export { typed, type TypedCache, type TypedCacheOptions } from "./typed.ts";
