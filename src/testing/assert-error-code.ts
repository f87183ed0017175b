import assert from "node:assert/strict";
import { isError, type LimmatError } from "../core/index.ts";

/**
 * Asserts that a callback throws, or rejects with, an error of a code. Returns that error.
 *
 * @example
 * await assertErrorCode("E_DATABASE_UNIQUE", () => users.insert(database, { email: "a@example.com" }));
 */
export async function assertErrorCode(code: string, callback: () => unknown): Promise<LimmatError> {
  try {
    await callback();
  } catch (error) {
    if (isError(error, code)) return error;
    throw error;
  }
  return assert.fail(`expected ${code}, but nothing was thrown`);
}

/** Asserts that a callback throws, or rejects with, an error of a code. For tests that do not need the error. */
export async function rejectsWithCode(code: string, callback: () => unknown): Promise<void> {
  await assertErrorCode(code, callback);
}
