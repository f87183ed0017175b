export type {
  FileWriter,
  NamedContent,
  NewFile,
  PutOptions,
  ReadOptions,
  StorageBody,
  StorageService,
  StorageStore,
  StoredFile,
} from "./contract.ts";
export { disk, type DiskOptions, type DiskStorage } from "./disk/disk.ts";
export { makeStorage, type StorageDefinition } from "./make-storage.ts";
export { memory, type MemoryOptions } from "./memory.ts";
export type { Purging } from "./purging.ts";
export { sql, type SqlOptions, type SqlStorage } from "./sql/sql.ts";
export * as Web from "./web.ts";
