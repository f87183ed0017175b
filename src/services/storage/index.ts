export type { PutOptions, ReadOptions, StorageContent, StorageService, StoredFile } from "./contract.ts";
export type { PersistentStorage } from "./make-storage.ts";
export { disk, type DiskStorageOptions } from "./store/disk.ts";
export { memory } from "./store/memory.ts";
export { sqlStorage as sql } from "./store/sql.ts";
export * as Web from "./web/file.ts";
