import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { Cleaner } from "../../../../cleaner/index.ts";
import { Configuration, ConfigurationInternals } from "../../../../config/index.ts";
import { background } from "../../../../core/index.ts";
import { startPeriodicTask } from "../../../../time/index.ts";
import { errors } from "../../errors.ts";
import { dailyPurge, makeStorage, type PersistentStorage } from "../../make-storage.ts";
import { diskStore } from "./store.ts";

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
      await mkdir(directory(), { recursive: true, mode: 0o700 });
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
