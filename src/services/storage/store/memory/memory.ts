import { Cleaner } from "../../../../cleaner/index.ts";
import { background } from "../../../../core/index.ts";
import type { StorageService } from "../../contract.ts";
import { makeStorage } from "../../make-storage.ts";
import { type MemoryFile, memoryStore } from "./store.ts";

/**
 * Makes a storage in the memory of this process. Files are lost when the process ends. For tests.
 *
 * @example
 * export const storage = Storage.memory();
 */
export function memory({ name = "storage" }: { readonly name?: string } = {}): StorageService {
  const files = new Map<string, MemoryFile>();
  return makeStorage({
    name,
    implementation: "memory",
    store: memoryStore(files),
    ...background(() => [Cleaner.register(name, () => files.clear())]),
  });
}
