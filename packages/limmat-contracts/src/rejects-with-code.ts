import { assertErrorCode } from "limmat/testing";

/** Asserts that a callback throws, or rejects with, an error of a code. For tests that do not need the error. */
export async function rejectsWithCode(code: string, callback: () => unknown): Promise<void> {
  await assertErrorCode(code, callback);
}
