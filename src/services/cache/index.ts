export type { Attempt, Decision, Quota } from "../../token-bucket/index.ts";
export type {
  Cache,
  CacheStore,
  ClearOptions,
  Entry,
  EntryKind,
  ExpiryOptions,
  GetOrSetOptions,
  IncrementOptions,
  LockOptions,
  Place,
} from "./contract.ts";
export { type CacheDefinition, makeCache } from "./make-cache.ts";
export { memory, type MemoryOptions } from "./memory.ts";
export { sql, type SqlCache, type SqlOptions } from "./sql/sql.ts";
export { typed, type TypedCache, type TypedOptions } from "./typed.ts";
