import { constants, createReadStream } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Cleaner } from "../../../cleaner/index.ts";
import { Configuration, ConfigurationInternals } from "../../../config/index.ts";
import { background } from "../../../core/index.ts";
import { Random } from "../../../random/index.ts";
import { startPeriodicTask } from "../../../time/index.ts";
import type { StoredFile } from "../contract.ts";
import { chunkBytes } from "../engine/chunks.ts";
import { errors } from "../errors.ts";
import { dailyPurge, makeStorage, type PersistentStorage } from "../make-storage.ts";
import type { PersistentStore } from "./contract.ts";

/** Options of `Storage.disk`. */
export interface DiskStorageOptions {
  /**
   * Folder of the files, relative to the project, in every environment. Cleaners empty it where they may run. Default:
   * `STORAGE_DIR`, which is `storage/<environment>`.
   */
  readonly directory?: string;
  /** Name of the service. Default `storage`. */
  readonly name?: string;
}

const diskSettings = Configuration.group({
  directory: Configuration.string("STORAGE_DIR", {
    description: "folder of stored files, relative to the project",
    default: (environment) => `storage/${environment}`,
  }),
});

/**
 * Makes a storage in a folder of one machine, or in a folder that several machines share. Transactions do not cover it.
 *
 * The start throws E_STORAGE_DIRECTORY if the folder cannot be created or written to.
 *
 * @example
 * export const storage = Storage.disk();
 */
export function disk({ directory: fixedDirectory, name = "storage" }: DiskStorageOptions = {}): PersistentStorage {
  const directory = (): string =>
    resolve(ConfigurationInternals.root(), fixedDirectory ?? diskSettings.read().directory);
  const store = diskStore(directory);
  const { purge, task } = dailyPurge(store);

  const checkDirectory = async (): Promise<void> => {
    try {
      await mkdir(directory(), privateFolder);
      await access(directory(), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw errors.E_STORAGE_DIRECTORY(directory(), error).causedBy(error);
    }
  };

  return {
    ...makeStorage({
      name,
      implementation: "disk",
      store,
      configuration: fixedDirectory === undefined ? diskSettings.fields : [],
      ...background(async () => {
        await checkDirectory();
        return [Cleaner.register(name, () => store.clear()), startPeriodicTask(task)];
      }),
      health: checkDirectory,
    }),
    purge,
  };
}

/** Options of folders, and the mode of files, that only this user can read: other users of the machine may not. */
const privateFolder = { recursive: true, mode: 0o700 } as const;
const privateFile = 0o600;

/** Folder of uploads in progress. It is on the file system of the final folders, so that a rename is atomic. */
const incoming = "incoming";

/** Pattern of the folders that hold files. */
const shardPattern = /^[0-9a-f]{2}$/;

/**
 * Makes a store that keeps each file in two: its content and its metadata as JSON. The content is written elsewhere and
 * moved into place, then the metadata. A file exists once its metadata does, so a crash never leaves a partial file visible.
 */
function diskStore(directory: () => string): PersistentStore & { readonly clear: () => Promise<void> } {
  const findOpt = async (id: string): Promise<StoredFile | undefined> => {
    const json = await ifExists(readFile(filePaths(directory(), id).metadata, "utf8"));
    if (json === undefined || json === "") return undefined;
    const metadata = JSON.parse(json) as StoredFile;
    return { ...metadata, created_at: new Date(metadata.created_at) };
  };

  /** Lists the folders that hold files. */
  async function* listFolders(): AsyncGenerator<string> {
    for (const outer of await listNames(directory(), shardPattern)) {
      for (const inner of await listNames(join(directory(), outer), shardPattern)) {
        yield join(directory(), outer, inner);
      }
    }
  }

  return {
    findOpt,

    begin: async ({ id }) => {
      const { folder, content, metadata } = filePaths(directory(), id);
      const temporary = join(directory(), incoming, `${id}.${Random.hex(4)}`);
      await mkdir(folder, privateFolder);
      await mkdir(join(directory(), incoming), privateFolder);
      try {
        // Reserves the id: an exclusive create succeeds for one of several concurrent callers.
        await writeFile(metadata, "", { flag: "wx", mode: privateFile });
      } catch (error) {
        if (hasErrorCode(error, "EEXIST")) throw errors.E_STORAGE_ID(id, "it is in use").causedBy(error);
        throw error;
      }
      const handle = await open(temporary, "wx", privateFile).catch(async (error: unknown) => {
        await rm(metadata, { force: true });
        throw error;
      });
      return {
        write: (chunk) => handle.appendFile(chunk),
        commit: async (file) => {
          await handle.sync();
          await handle.close();
          await rename(temporary, content);
          await writeFile(`${temporary}.json`, JSON.stringify(file), { flag: "wx", mode: privateFile, flush: true });
          await rename(`${temporary}.json`, metadata);
          await syncFolder(folder);
        },
        abort: async () => {
          await handle.close().catch(() => {});
          for (const path of [temporary, `${temporary}.json`, content, metadata]) await rm(path, { force: true });
        },
      };
    },

    async *read({ id }, start, length) {
      const { content } = filePaths(directory(), id);
      const range = { start, end: start + length - 1, highWaterMark: chunkBytes };
      try {
        yield* createReadStream(content, range) as AsyncIterable<Uint8Array>;
      } catch (error) {
        if (hasErrorCode(error, "ENOENT")) throw errors.E_STORAGE_NOT_FOUND(id).causedBy(error);
        throw error;
      }
    },

    delete: async (id) => {
      if ((await findOpt(id)) === undefined) return false;
      const { metadata, content } = filePaths(directory(), id);
      // Without metadata the file does not exist. A reader that has the content open can finish.
      if ((await ifExists(rm(metadata).then(() => true))) === undefined) return false;
      await rm(content, { force: true });
      return true;
    },

    async *list() {
      for await (const folder of listFolders()) {
        for (const name of await listNames(folder, /\.json$/)) {
          const file = await findOpt(name.slice(0, -".json".length));
          if (file !== undefined) yield file;
        }
      }
    },

    purge: async (before) => {
      for (const name of await listNames(join(directory(), incoming), /./)) {
        await deleteIfOlder(join(directory(), incoming, name), before);
      }
      for await (const folder of listFolders()) {
        for (const name of await listNames(folder, /./)) {
          const isContent = !name.endsWith(".json");
          const metadata = await ifExists(stat(join(folder, isContent ? `${name}.json` : name)));
          if (metadata === undefined || metadata.size === 0) await deleteIfOlder(join(folder, name), before);
        }
      }
    },

    clear: async () => {
      for (const name of [...(await listNames(directory(), shardPattern)), incoming]) {
        await rm(join(directory(), name), { recursive: true, force: true });
      }
    },
  };
}

/** Paths of one file. They contain its id and no other value from outside. */
interface FilePaths {
  /** Folder of both. 65,536 folders, because file systems are slow with millions of files in one. */
  readonly folder: string;
  readonly content: string;
  /** Metadata, as JSON. Empty while the content is being written. */
  readonly metadata: string;
}

/** Returns the paths of a file whose id is a UUID in lower case. */
function filePaths(directory: string, id: string): FilePaths {
  const folder = join(directory, id.slice(0, 2), id.slice(2, 4));
  return { folder, content: join(folder, id), metadata: join(folder, `${id}.json`) };
}

/** Returns true if a file system error has this code. */
const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code;

/** Returns the result of an operation, or `undefined` if the file or folder does not exist. */
async function ifExists<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Flushes a folder to disk, so that renames in it survive a power failure. Flushing the files alone does not suffice. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  await using handle = await open(path);
  await handle.sync();
}

/** Returns the sorted names in a folder that match a pattern. A missing folder has none. */
async function listNames(path: string, pattern: RegExp): Promise<readonly string[]> {
  const names = (await ifExists(readdir(path))) ?? [];
  return names.filter((name) => pattern.test(name)).sort();
}

/** Deletes a file last modified before a point in time. */
async function deleteIfOlder(path: string, before: Date): Promise<void> {
  const stats = await ifExists(stat(path));
  if (stats !== undefined && stats.mtime < before) await rm(path, { force: true });
}
