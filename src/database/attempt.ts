import { error, isError, type LimmatError, ok, type Result } from "../core/index.ts";
import type { UniqueViolation } from "./contract.ts";
import type { Database } from "./database.ts";
import { isUniqueViolation } from "./driver-error.ts";
import type { TransactionOptions } from "./operations.ts";

/** Error message, or error messages by the name of the field. */
export type WriteRefusal = string | Readonly<Record<string, string>>;

/** Errors for the violations that `attempt` expects. A violation without an error is thrown. */
export interface Refusals {
  /** Row that is written does not exist. */
  readonly noRow?: WriteRefusal;
  /** Row that is referred to does not exist, or a row that is deleted is referred to. */
  readonly foreignKey?: WriteRefusal;
  /** Another row has the same values in these columns, as `isUniqueViolation` compares them. */
  readonly unique?: readonly UniqueRefusal[];
}

interface UniqueRefusal {
  readonly columns: readonly [string, ...string[]];
  readonly refusal: WriteRefusal;
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
      violatedUnique(thrown, unique)?.refusal ??
      (isError(thrown, "E_DATABASE_FOREIGN_KEY") ? foreignKey : undefined) ??
      (isError(thrown, "E_DATABASE_NO_ROW") ? noRow : undefined);
    if (refusal === undefined) throw thrown;
    return error(refusal);
  }
}

/**
 * Returns the entry of a violated unique constraint. MariaDB reports only its name: the first column, the table and the
 * columns if `migrate diff` has added it, or any name that a migration sets, which is clear if there is one entry.
 */
function violatedUnique(thrown: unknown, unique: readonly UniqueRefusal[]): UniqueRefusal | undefined {
  const found = unique.find(({ columns }) => isUniqueViolation(thrown, ...columns));
  if (found !== undefined || !isError(thrown, "E_DATABASE_UNIQUE")) return found;
  const { violation } = thrown as LimmatError & { readonly violation?: UniqueViolation };
  if (violation?.columns !== undefined) return undefined;
  const suffixOf = ({ columns }: UniqueRefusal): string => `_${columns.join("_")}`;
  const [longest] = unique
    .filter((entry) => violation?.constraint?.endsWith(suffixOf(entry)))
    .toSorted((a, b) => suffixOf(b).length - suffixOf(a).length);
  return longest ?? (unique.length === 1 ? unique[0] : undefined);
}
