import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { cleanFilename, type Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { FileWriter, NamedContent, StorageBody, StorageService, StorageStore, StoredFile } from "./contract.ts";
import { errors } from "./errors.ts";
import { cleanContentType, idOf } from "./names.ts";
import { pieces } from "./pieces.ts";

/** What a storage does. */
export type Operations = Omit<StorageService, keyof Service.Service>;

const log = Log.source("limmat.storage");

/** The operations of a storage on a store. */
export function operationsOn(store: StorageStore): Operations {
  const findOpt: StorageService["findOpt"] = async (given, options = {}) => {
    const id = idOf(given);
    return id === undefined ? undefined : store.findOpt(id, options);
  };
  const find: StorageService["find"] = async (id, options) => {
    const file = await findOpt(id, options);
    if (file === undefined) throw errors.E_STORAGE_NOT_FOUND(id);
    return file;
  };
  const read: StorageService["read"] = async function* (id, { start = 0, length, ...options } = {}) {
    if (!isCount(start) || !(length === undefined || isCount(length))) throw errors.E_STORAGE_RANGE(start, length);
    const file = await find(id, options);
    const rest = Math.min(length ?? Infinity, file.size - start);
    if (rest > 0) yield* store.read(file, start, rest, options);
  };

  return {
    find,
    findOpt,
    read,
    put: async (body, options = {}) => {
      const named = body as NamedContent;
      const { filename = named.filename ?? "file", contentType = named.contentType ?? "" } = options;
      const { id: given = Random.uuid(), ctx = [] } = options;
      const id = idOf(given);
      if (id === undefined) {
        await close(body);
        throw errors.E_STORAGE_ID(given, "it is no UUID");
      }
      const file = {
        id,
        filename: cleanFilename(filename),
        contentType: cleanContentType(contentType),
        created_at: Time.now(),
      };
      const writer = await store.begin(file, { ctx }).catch(async (error: unknown) => {
        await close(body);
        throw error;
      });
      try {
        const stored = { ...file, ...(await write(writer, body)) };
        await writer.commit(stored);
        return stored;
      } catch (error) {
        await writer.abort().catch((failure: unknown) => {
          log.warning("What was left of a file that could not be stored stays for now", { id, error: failure });
        });
        throw error;
      }
    },
    readAll: async (id, options) => {
      const parts: Uint8Array[] = [];
      for await (const piece of read(id, options)) parts.push(piece);
      return Buffer.concat(parts);
    },
    delete: async (given, options = {}) => {
      const id = idOf(given);
      return id !== undefined && (await store.delete(id, options));
    },
    list: (options = {}) => store.list(options),
  };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Closes a content that nobody reads, as the loop over it does where it is left: a file would stay open. */
async function close(body: StorageBody): Promise<void> {
  if (body instanceof Readable) body.destroy();
  else if (body instanceof ReadableStream) await body.cancel().catch(() => {});
}

/** Writes a content, and counts it. */
async function write(writer: FileWriter, body: StorageBody): Promise<Pick<StoredFile, "size" | "checksum">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of pieces(body)) {
    hash.update(piece);
    size += piece.length;
    await writer.write(piece);
  }
  return { size, checksum: hash.digest("hex") };
}
