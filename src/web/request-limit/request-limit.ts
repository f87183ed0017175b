export { byAddress, byToken } from "./client-key.ts";
export type { RequestLimitStore as Store } from "./memory-store.ts";
export { memoryStore, type MemoryStoreOptions } from "./memory-store.ts";
