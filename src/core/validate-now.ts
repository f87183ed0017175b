import type { StandardSchemaV1 as Schema } from "@standard-schema/spec";
import { suppressUnhandledRejection } from "./suppress-rejection.ts";

/** Validates a value by a Standard Schema. Returns `undefined` if the schema is asynchronous. */
export function validateNow<T>(schema: Schema<unknown, T>, value: unknown): Schema.Result<T> | undefined {
  const result = schema["~standard"].validate(value);
  suppressUnhandledRejection(result);
  return result instanceof Promise ? undefined : result;
}
