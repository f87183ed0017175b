import type { StoredFile } from "../../contract.ts";
import { chunkBytes } from "../../engine/chunks.ts";
import { errors } from "../../errors.ts";
import type { StorageStore } from "../contract.ts";

/** A file in memory. */
export interface MemoryFile {
  readonly file: StoredFile;
  readonly chunks: readonly Uint8Array[];
}

/** Makes a store that holds files in a map, by id. */
export function memoryStore(files: Map<string, MemoryFile>): StorageStore {
  const idsInProgress = new Set<string>();
  return {
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
    async *read({ id }, start, length) {
      const end = start + length;
      for (let offset = start; offset < end;) {
        const chunk = files.get(id)?.chunks[Math.floor(offset / chunkBytes)];
        if (chunk === undefined) throw errors.E_STORAGE_NOT_FOUND(id);
        const offsetInChunk = offset % chunkBytes;
        const part = chunk.slice(offsetInChunk, offsetInChunk + end - offset);
        yield part;
        offset += part.length;
      }
    },
    delete: async (id) => files.delete(id),
    async *list() {
      for (const { file } of files.values()) yield file;
    },
  };
}
