import type { StorageStore, StoredFile } from "./contract.ts";
import { errors } from "./errors.ts";
import { pieceSize } from "./pieces.ts";

/** A file in memory. */
export interface Kept {
  readonly file: StoredFile;
  readonly pieces: readonly Uint8Array[];
}

/** Keeps files in a map, by their ids. */
export function memoryStore(kept: Map<string, Kept>): StorageStore {
  const writing = new Set<string>();
  return {
    begin: async ({ id }) => {
      if (kept.has(id) || writing.has(id)) throw errors.E_STORAGE_ID(id, "it is taken");
      writing.add(id);
      const pieces: Uint8Array[] = [];
      return {
        write: async (piece) => void pieces.push(piece.slice()),
        commit: async (file) => {
          writing.delete(id);
          kept.set(id, { file, pieces });
        },
        abort: async () => void writing.delete(id),
      };
    },
    findOpt: async (id) => kept.get(id)?.file,
    async *read({ id }, start, length) {
      const end = start + length;
      for (let at = start; at < end;) {
        const piece = kept.get(id)?.pieces[Math.floor(at / pieceSize)];
        if (piece === undefined) throw errors.E_STORAGE_NOT_FOUND(id);
        const part = piece.slice(at % pieceSize, (at % pieceSize) + end - at);
        yield part;
        at += part.length;
      }
    },
    delete: async (id) => kept.delete(id),
    async *list() {
      for (const { file } of kept.values()) yield file;
    },
  };
}
