import { error, isError, ok, type Result } from "../core/index.ts";
import type { Database } from "./database.ts";
import { isUniqueViolation } from "./driver-error.ts";
import type { TransactionOptions } from "./options.ts";

/** Error message, or error messages by the name of the field. */
export type WriteRefusal = string | Readonly<Record<string, string>>;

/** Errors for the violations that `attempt` expects. A violation without an error is thrown. */
export interface Refusals {
  /** Row that is written does not exist. */
  readonly noRow?: WriteRefusal;
  /** Row that is referred to does not exist, or a row that is deleted is referred to. */
  readonly foreignKey?: WriteRefusal;
  /** Another row has the same values in these columns, as `isUniqueViolation` compares them. */
  readonly unique?: readonly { readonly columns: readonly [string, ...string[]]; readonly refusal: WriteRefusal }[];
}

/**
 * Runs a write in a transaction of its own, and returns the violations of constraints that it expects as errors. An outer
 * transaction can continue after a violation.
 *
 * @throws what the write throws, if `refusals` has no error for it
 * @example
 * attempt(database, () => labels.insert(database, input, options), { unique: [taken] }, options);
 */
export async function attempt<T>(
  database: Database,
  write: () => Promise<T>,
  { noRow, foreignKey, unique = [] }: Refusals,
  options?: TransactionOptions,
): Promise<Result<T, WriteRefusal>> {
  try {
    return ok(await database.transaction(write, options));
  } catch (thrown) {
    const refusal =
      unique.find(({ columns }) => isUniqueViolation(thrown, ...columns))?.refusal ??
      (isError(thrown, "E_DATABASE_FOREIGN_KEY") ? foreignKey : undefined) ??
      (isError(thrown, "E_DATABASE_NO_ROW") ? noRow : undefined);
    if (refusal === undefined) throw thrown;
    return error(refusal);
  }
}
