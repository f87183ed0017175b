import { Cleaner } from "../../../cleaner/index.ts";
import { background } from "../../../core/index.ts";
import type { StorageService, StoredFile } from "../contract.ts";
import { readRange } from "../engine/chunks.ts";
import { errors } from "../errors.ts";
import { makeStorage } from "../make-storage.ts";
import type { StorageStore } from "./contract.ts";

/**
 * Makes a storage in the memory of this process. Files are lost when the process ends. For tests.
 *
 * @example
 * export const storage = Storage.memory();
 */
export function memory({ name = "storage" }: { readonly name?: string } = {}): StorageService {
  const files = new Map<string, { readonly file: StoredFile; readonly chunks: readonly Uint8Array[] }>();
  const idsInProgress = new Set<string>();

  const store: StorageStore = {
    begin: async ({ id }) => {
      if (files.has(id) || idsInProgress.has(id)) throw errors.E_STORAGE_ID(id, "it is in use");
      idsInProgress.add(id);
      const chunks: Uint8Array[] = [];
      return {
        write: async (chunk) => void chunks.push(chunk.slice()),
        commit: async (file) => {
          idsInProgress.delete(id);
          files.set(id, { file, chunks });
        },
        abort: async () => void idsInProgress.delete(id),
      };
    },
    findOpt: async (id) => files.get(id)?.file,
    read: ({ id }, start, length) => readRange(id, start, length, (number) => files.get(id)?.chunks[number]?.slice()),
    delete: async (id) => files.delete(id),
    async *list() {
      for (const { file } of files.values()) yield file;
    },
  };
  const start = background(() => [Cleaner.register(name, () => files.clear(), { isInMemory: true })]);
  return makeStorage({ name, implementation: "memory", store, ...start });
}
