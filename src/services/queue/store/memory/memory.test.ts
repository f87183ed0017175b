import * as runner from "node:test";
import { queueContract } from "limmat-contracts";
import { makeQueue } from "../../service.ts";
import { memoryStore } from "./memory.ts";

const store = memoryStore();
queueContract("memory", { make: (options) => makeQueue(store, options), services: [] }, runner);
