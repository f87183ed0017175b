export type {
  Idempotency,
  IdempotencyOptions,
  KeyedRequest,
  RunOptions,
  RunResult,
  StoredResponse,
  WorkOutcome,
} from "./contract.ts";
export { memory, type MemoryIdempotencyOptions } from "./store/memory.ts";
export { sqlIdempotency as sql } from "./store/sql.ts";
export * as Web from "./web/index.ts";
