export type {
  Attempt,
  Cache,
  CacheStore,
  ClearOptions,
  Decision,
  Entry,
  EntryKind,
  ExpiryOptions,
  GetOrSetOptions,
  IncrementOptions,
  LockOptions,
  Place,
  Quota,
} from "./contract.ts";
export { type CacheDefinition, makeCache } from "./make-cache.ts";
export { memory, type MemoryOptions } from "./memory.ts";
export { sql, type SqlCache, type SqlOptions } from "./sql/sql.ts";
export { typed, type TypedCache, type TypedOptions } from "./typed.ts";
