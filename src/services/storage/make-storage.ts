import { Service } from "../../core/index.ts";
import type { StorageService } from "./contract.ts";
import { errors } from "./errors.ts";
import type { StorageOperations } from "./operations.ts";
import type { StorageStore } from "./store/contract.ts";

/** Definition of a storage service by its backend. */
export interface StorageDefinition extends Omit<Service.ServiceDefinition, "implementation"> {
  /** Name of the implementation, such as `disk`. */
  readonly implementation: string;
  readonly store: StorageStore;
}

/** Makes a storage service on a store. For authors of backends. Throws E_STORAGE_NAME. */
export function makeStorage({ store, ...definition }: StorageDefinition): StorageService {
  return makeLazyStorage(async () => store, definition);
}

/** Makes a storage service whose store is opened on first use. Throws E_STORAGE_NAME. */
export function makeLazyStorage(
  open: () => Promise<StorageStore>,
  definition: Omit<StorageDefinition, "store">,
): StorageService {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw errors.E_STORAGE_NAME(definition.name);

  // Imported with the first operation: most commands never need it (docs/decisions/008).
  let opened: Promise<StorageOperations> | undefined;
  const operations = (): Promise<StorageOperations> =>
    (opened ??= import("./operations.ts").then(async ({ makeStorageOperations }) =>
      makeStorageOperations(await open()),
    ));

  return {
    ...Service.make(definition),
    put: async (...args) => (await operations()).put(...args),
    find: async (...args) => (await operations()).find(...args),
    findOpt: async (...args) => (await operations()).findOpt(...args),
    read: async function* (...args) {
      yield* (await operations()).read(...args);
    },
    readAll: async (...args) => (await operations()).readAll(...args),
    delete: async (...args) => (await operations()).delete(...args),
    list: async function* (...args) {
      yield* (await operations()).list(...args);
    },
  };
}
