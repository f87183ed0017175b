export type { RateLimitAttempt } from "../../../token-bucket/index.ts";
export { type CacheDefinition, makeCache } from "../make-cache.ts";
export type { CacheEntry, CacheStore, EntryKey, EntryKind } from "./contract.ts";
