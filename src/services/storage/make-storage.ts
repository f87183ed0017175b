import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { type CancellableOptions, sanitizeFilename, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { type PeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import type { StorageContent, StorageService, StoredFile } from "./contract.ts";
import { toChunks } from "./engine/chunks.ts";
import { errors } from "./errors.ts";
import type { FileWriter, PersistentStore, StorageStore } from "./store/contract.ts";

/** Definition of a storage service by its backend. */
export interface StorageDefinition extends Omit<Service.ServiceDefinition, "implementation"> {
  /** Name of the implementation, such as `disk`. */
  readonly implementation: string;
  readonly store: StorageStore;
}

/** Makes a storage service on a store. For authors of backends. Throws E_STORAGE_NAME. */
export function makeStorage({ store, ...definition }: StorageDefinition): StorageService {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw errors.E_STORAGE_NAME(definition.name);
  return { ...Service.make(definition), ...makeOperations(store) };
}

/** Storage that outlives the process, and with it the parts of an upload whose process is killed during a `put`. */
export interface PersistentStorage extends StorageService {
  /** Deletes the parts of uploads that began more than a day ago and never ended. Runs daily automatically. */
  purge(options?: CancellableOptions): Promise<void>;
}

const log = Log.source("limmat.storage");

/** Returns the operation `purge` of a storage, and the daily task that runs it. */
export function dailyPurge(store: PersistentStore): Pick<PersistentStorage, "purge"> & { readonly task: PeriodicTask } {
  const purge: PersistentStorage["purge"] = (options = {}) =>
    store.purge(new Date(TimeInternals.timestamp() - Time.days(1)), options);
  const onError = (error: unknown): void => log.warning("Incomplete uploads could not be deleted", { error });
  return { purge, task: { intervalMs: Time.days(1), run: purge, onError } };
}

/** Returns the operations of a storage on a store. */
function makeOperations(store: StorageStore): Omit<StorageService, keyof Service.Service> {
  const findOpt: StorageService["findOpt"] = async (rawId, options = {}) => {
    const id = parseId(rawId);
    return id === undefined ? undefined : store.findOpt(id, options);
  };
  const find: StorageService["find"] = async (id, options) => {
    const file = await findOpt(id, options);
    if (file === undefined) throw errors.E_STORAGE_NOT_FOUND(id);
    return file;
  };
  const read: StorageService["read"] = async function* (id, { start = 0, length, ...options } = {}) {
    if (!isByteCount(start) || !(length === undefined || isByteCount(length))) {
      throw errors.E_STORAGE_RANGE(start, length);
    }
    const file = await find(id, options);
    const byteCount = Math.min(length ?? Infinity, file.size - start);
    if (byteCount > 0) yield* store.read(file, start, byteCount, options);
  };

  return {
    find,
    findOpt,
    read,
    put: async (content, options = {}) => {
      // An uploaded file has metadata.
      const metadata = content as { readonly filename?: string; readonly contentType?: string };
      const { filename = metadata.filename ?? "file", contentType = metadata.contentType ?? "" } = options;
      const { id: rawId = Random.uuid(), ctx = [] } = options;
      const id = parseId(rawId);
      if (id === undefined) {
        await closeContent(content);
        throw errors.E_STORAGE_ID(rawId, "it is not a UUID");
      }
      const file = {
        id,
        filename: sanitizeFilename(filename),
        contentType: normalizeContentType(contentType),
        created_at: Time.now(),
      };
      const writer = await store.begin(file, { ctx }).catch(async (error: unknown) => {
        await closeContent(content);
        throw error;
      });
      try {
        const storedFile = { ...file, ...(await writeContent(writer, content)) };
        await writer.commit(storedFile);
        return storedFile;
      } catch (error) {
        await writer.abort().catch((abortError: unknown) => {
          log.warning("The parts of a failed upload could not be deleted; the daily purge deletes them", {
            id,
            error: abortError,
          });
        });
        throw error;
      }
    },
    readAll: async (id, options) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of read(id, options)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    delete: async (rawId, options = {}) => {
      const id = parseId(rawId);
      return id !== undefined && (await store.delete(id, options));
    },
    list: (options = {}) => store.list(options),
  };
}

const isByteCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Closes a content that is not read, so that the file or connection behind it does not stay open. */
async function closeContent(content: StorageContent): Promise<void> {
  if (content instanceof Readable) content.destroy();
  else if (content instanceof ReadableStream) await content.cancel().catch(() => {});
}

/** Writes a content and returns its size and checksum. */
async function writeContent(
  writer: FileWriter,
  content: StorageContent,
): Promise<Pick<StoredFile, "size" | "checksum">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of toChunks(content)) {
    hash.update(chunk);
    size += chunk.length;
    await writer.write(chunk);
  }
  return { size, checksum: hash.digest("hex") };
}

/** Returns a UUID in lower case, or `undefined` for other texts. */
const parseId = (text: string): string | undefined => (Schema.isUuid(text) ? text.toLowerCase() : undefined);

/**
 * Returns a media type with its parameters (RFC 9110 §8.3.1), or `application/octet-stream` for an invalid one. Only spaces
 * and tabs may separate the parts, because the type is sent in a header.
 */
function normalizeContentType(text: string): string {
  const type = text.trim();
  return type.length <= 200 && mediaTypePattern.test(type) ? type : "application/octet-stream";
}

const mediaTypePattern =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&'()*+,./:;<=>?@^-]*"))*$/;
