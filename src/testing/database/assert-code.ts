import assert from "node:assert/strict";
import { isError, type LimmatError } from "../../core/index.ts";

/** The same, for a test that looks no further. */
export async function refuses(code: string, work: () => unknown): Promise<void> {
  await assertCode(code, work);
}

/** Fails unless the work throws, or rejects with, an error of this code; gives that error. */
export async function assertCode(code: string, work: () => unknown): Promise<LimmatError> {
  try {
    await work();
  } catch (error) {
    if (isError(error, code)) return error;
    throw error;
  }
  return assert.fail(`nothing was thrown, instead of ${code}`);
}
