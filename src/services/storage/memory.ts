import { Cleaner } from "../../cleaner/index.ts";
import type { StorageService, StorageStore } from "./contract.ts";
import { storageOn } from "./make-storage.ts";
import type { Kept } from "./memory-store.ts";

/** What `Storage.memory` can be given. */
export interface MemoryOptions {
  /** Its name among the services. Default `storage`. */
  readonly name?: string;
}

/**
 * Keeps files in the memory of this process, and forgets them with it. For tests.
 *
 * @example
 * export const storage = Storage.memory();
 */
export function memory({ name = "storage" }: MemoryOptions = {}): StorageService {
  const kept = new Map<string, Kept>();
  let unregister: (() => void) | undefined;
  const open = async (): Promise<StorageStore> => {
    const { memoryStore } = await import("./memory-store.ts");
    return memoryStore(kept);
  };
  return storageOn(open, {
    name,
    implementation: "memory",
    start: () => {
      unregister = Cleaner.register(name, () => kept.clear());
    },
    stop: () => unregister?.(),
  });
}
