export { byAddress, byToken } from "./client-key.ts";
export type { RequestLimitStore as Store } from "./store.ts";
export { memoryStore, type MemoryStoreOptions } from "./store.ts";
