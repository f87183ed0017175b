import * as runner from "node:test";
import { queueContract } from "../../../testing/queue/contract.ts";
import { makeQueue } from "../queue.ts";
import { MemoryStore } from "./memory-store.ts";

const store = new MemoryStore();
queueContract("memory", { make: (options) => makeQueue(store, options), services: [] }, runner);
