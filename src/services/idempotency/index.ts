export type {
  Idempotency,
  IdempotencyOptions,
  KeyedRequest,
  RunOptions,
  RunResult,
  StoredResponse,
  WorkOutcome,
} from "./contract.ts";
export { memory, type MemoryIdempotencyOptions } from "./store/memory/memory.ts";
export { sql } from "./store/sql/sql.ts";
export * as Web from "./web/middleware.ts";
