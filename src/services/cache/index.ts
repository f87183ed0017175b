export type { RateLimit, RateLimitDecision } from "../../token-bucket/index.ts";
export type { Cache, ExpiryOptions, GetOrSetOptions, LockOptions } from "./contract.ts";
export { memory, type MemoryCacheOptions } from "./store/memory/memory.ts";
export { sql } from "./store/sql/sql.ts";
export { typed, type TypedCache, type TypedCacheOptions } from "./typed.ts";
