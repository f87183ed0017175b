import { type CancellableOptions, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type PeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import type { StorageService } from "./contract.ts";
import { errors } from "./errors.ts";
import { makeStorageOperations } from "./operations.ts";
import type { StorageStore } from "./store/contract.ts";

/** Definition of a storage service by its backend. */
export interface StorageDefinition extends Omit<Service.ServiceDefinition, "implementation"> {
  /** Name of the implementation, such as `disk`. */
  readonly implementation: string;
  readonly store: StorageStore;
}

/** Makes a storage service on a store. For authors of backends. Throws E_STORAGE_NAME. */
export function makeStorage({ store, ...definition }: StorageDefinition): StorageService {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw errors.E_STORAGE_NAME(definition.name);
  return { ...Service.make(definition), ...makeStorageOperations(store) };
}

/** Storage that outlives the process, and with it the parts of an upload whose process is killed during a `put`. */
export interface PersistentStorage extends StorageService {
  /** Deletes the parts of uploads that began more than a day ago and never ended. Runs daily automatically. */
  purge(options?: CancellableOptions): Promise<void>;
}

const log = Log.source("limmat.storage");
const maxUploadMs = Time.days(1);

/** Returns the operation for a store that can delete uploads that began before a point in time. */
export function storagePurge(
  deleteIncompleteBefore: (before: Date, options: CancellableOptions) => Promise<void>,
): Pick<PersistentStorage, "purge"> {
  return {
    purge: (options = {}) => deleteIncompleteBefore(new Date(TimeInternals.timestamp() - maxUploadMs), options),
  };
}

/** Creates the daily task that deletes incomplete uploads. */
export function purgeTask(storage: Pick<PersistentStorage, "purge">): PeriodicTask {
  return {
    intervalMs: Time.days(1),
    run: (options) => storage.purge(options),
    onError: (error) => log.warning("Incomplete uploads could not be deleted", { error }),
  };
}
