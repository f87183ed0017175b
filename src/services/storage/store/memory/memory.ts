import { Cleaner } from "../../../../cleaner/index.ts";
import type { StorageService } from "../../contract.ts";
import { makeLazyStorage } from "../../make-storage.ts";
import type { StorageStore } from "../contract.ts";
import type { MemoryFile } from "./store.ts";

/** Options of `Storage.memory`. */
export interface MemoryStorageOptions {
  /** Name of the service. Default `storage`. */
  readonly name?: string;
}

/**
 * Makes a storage in the memory of this process. Files are lost when the process ends. For tests.
 *
 * @example
 * export const storage = Storage.memory();
 */
export function memory({ name = "storage" }: MemoryStorageOptions = {}): StorageService {
  const files = new Map<string, MemoryFile>();
  let unregister: (() => void) | undefined;
  const open = async (): Promise<StorageStore> => (await import("./store.ts")).memoryStore(files);
  return makeLazyStorage(open, {
    name,
    implementation: "memory",
    start: () => {
      unregister = Cleaner.register(name, () => files.clear());
    },
    stop: () => unregister?.(),
  });
}
