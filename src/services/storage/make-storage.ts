import { Service } from "../../core/index.ts";
import type { StorageService, StorageStore } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Operations } from "./operations.ts";

/** What a backend adds to the storage that is made of it. */
export interface StorageDefinition extends Omit<Service.ServiceDefinition, "implementation"> {
  /** The name of the implementation: `disk`. */
  readonly implementation: string;
  readonly store: StorageStore;
}

/** Makes a storage service of a backend. For authors of backends. Throws E_STORAGE_NAME. */
export function makeStorage({ store, ...definition }: StorageDefinition): StorageService {
  return storageOn(async () => store, definition);
}

/** The same for a store that is loaded when it is needed. Throws E_STORAGE_NAME. */
export function storageOn(
  open: () => Promise<StorageStore>,
  definition: Omit<StorageDefinition, "store">,
): StorageService {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw errors.E_STORAGE_NAME(definition.name);

  // Loaded with the first operation: most starts never need them (docs/decisions/008).
  let opened: Promise<Operations> | undefined;
  const operations = (): Promise<Operations> =>
    (opened ??= import("./operations.ts").then(async ({ operationsOn }) => operationsOn(await open())));

  return {
    ...Service.make(definition),
    put: async (...call) => (await operations()).put(...call),
    find: async (...call) => (await operations()).find(...call),
    findOpt: async (...call) => (await operations()).findOpt(...call),
    read: async function* (...call) {
      yield* (await operations()).read(...call);
    },
    readAll: async (...call) => (await operations()).readAll(...call),
    delete: async (...call) => (await operations()).delete(...call),
    list: async function* (...call) {
      yield* (await operations()).list(...call);
    },
  };
}
