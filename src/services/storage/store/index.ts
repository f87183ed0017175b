export { makeStorage, type StorageDefinition } from "../make-storage.ts";
export type { FileWriter, NewFile, StorageStore } from "./contract.ts";
