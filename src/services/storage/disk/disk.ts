import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { Cleaner } from "../../../cleaner/index.ts";
import { Configuration } from "../../../config/index.ts";
import type { StorageService } from "../contract.ts";
import { errors } from "../errors.ts";
import { storageOn } from "../make-storage.ts";
import { purging, type Purging } from "../purging.ts";
import { settings } from "./settings.ts";
import type { DiskStore } from "./store.ts";

/** What `Storage.disk` can be given. */
export interface DiskOptions {
  /**
   * The folder of the files, seen from that of the project, whatever the environment: cleaners empty it, too, where they
   * may run. By default `STORAGE_DIR`, which is `storage/<environment>`.
   */
  readonly directory?: string;
  /** Its name among the services. Default `storage`. */
  readonly name?: string;
}

/** A storage on the disk. */
export interface DiskStorage extends StorageService, Purging {}

/**
 * Keeps files in a folder: of one machine, or one that several share. A transaction does not undo what happens there.
 *
 * Start throws E_STORAGE_DIRECTORY when the folder cannot be made or written to.
 *
 * @example
 * export const storage = Storage.disk();
 */
export function disk({ directory: given, name = "storage" }: DiskOptions = {}): DiskStorage {
  const directory = (): string => resolve(Configuration.root(), given ?? settings.read().directory);
  const open = async (): Promise<DiskStore> => {
    const { diskStore } = await import("./store.ts");
    return diskStore(directory);
  };
  let unregister: (() => void) | undefined;

  const checkDirectory = async (): Promise<void> => {
    try {
      await mkdir(directory(), { recursive: true });
      await access(directory(), constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw errors.E_STORAGE_DIRECTORY(directory(), error).causedBy(error);
    }
  };

  return {
    ...storageOn(open, {
      name,
      implementation: "disk",
      configuration: given === undefined ? settings.fields : [],
      start: async () => {
        await checkDirectory();
        unregister = Cleaner.register(name, async () => (await open()).clear());
      },
      stop: () => unregister?.(),
      health: checkDirectory,
    }),
    ...purging(name, async (before) => (await open()).purge(before)),
  };
}
