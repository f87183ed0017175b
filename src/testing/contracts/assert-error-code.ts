import assert from "node:assert/strict";
import { isError, type LimmatError } from "../../core/index.ts";

/** Asserts that the callback throws, or rejects with, an error of this code. For tests that do not need the error. */
export async function rejectsWithCode(code: string, callback: () => unknown): Promise<void> {
  await assertErrorCode(code, callback);
}

/** Asserts that the callback throws, or rejects with, an error of this code. Returns that error. */
export async function assertErrorCode(code: string, callback: () => unknown): Promise<LimmatError> {
  try {
    await callback();
  } catch (error) {
    if (isError(error, code)) return error;
    throw error;
  }
  return assert.fail(`expected ${code}, but nothing was thrown`);
}
