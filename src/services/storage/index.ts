export type { PutOptions, ReadOptions, StorageContent, StorageService, StoredFile } from "./contract.ts";
export type { PersistentStorage } from "./make-storage.ts";
export { disk, type DiskStorageOptions } from "./store/disk/disk.ts";
export { memory } from "./store/memory/memory.ts";
export { sql } from "./store/sql/sql.ts";
export * as Web from "./web/file.ts";
