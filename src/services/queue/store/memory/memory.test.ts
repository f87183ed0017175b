import * as runner from "node:test";
import { queueContract } from "../../../../testing/contracts/queue/contract.ts";
import { makeQueue } from "../../service.ts";
import { memoryStore } from "./memory-store.ts";

const store = memoryStore();
queueContract("memory", { make: (options) => makeQueue(store, options), services: [] }, runner);
