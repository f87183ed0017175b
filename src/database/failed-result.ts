import type { Result } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Whether a value is a result that holds an error. */
export function isFailedResult(value: unknown): value is { readonly ok: false; readonly error: unknown } {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false && "error" in value;
}

/**
 * The value of a result.
 *
 * @throws its error: as it is when that is an `Error`, else E_DATABASE_RESULT with it as the cause.
 */
export function orThrow<T>(result: Result<T, unknown>): T {
  if (result.ok) return result.value;
  throw result.error instanceof Error ? result.error : errors.E_DATABASE_RESULT(result.error).causedBy(result.error);
}
