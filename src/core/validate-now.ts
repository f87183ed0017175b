import type { StandardSchemaV1 as Schema } from "@standard-schema/spec";

/** Validates a value by a Standard Schema. Returns `undefined` if the schema is asynchronous. */
export function validateNow<T>(schema: Schema<unknown, T>, value: unknown): Schema.Result<T> | undefined {
  const result = schema["~standard"].validate(value);
  // Nobody awaits the promise: its rejection would end the process.
  if (result instanceof Promise) result.catch(() => {});
  return result instanceof Promise ? undefined : result;
}
