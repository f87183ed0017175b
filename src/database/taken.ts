import { isError, type LimmatError } from "../core/index.ts";
import type { Clash } from "./contract.ts";

/** The error, with what is known of the rule that was broken. */
export const withClash = (error: LimmatError, clash: Clash): LimmatError => Object.assign(error, { clash });

/**
 * Whether a change was refused because an entry has the same values in these columns: `isTaken(error, "email")`.
 *
 * MariaDB tells the name of the rule alone, which is that of its first column unless the migration gives it another.
 */
export function isTaken(error: unknown, ...columns: readonly [string, ...string[]]): error is LimmatError {
  if (!isError(error, "E_DATABASE_UNIQUE")) return false;
  const { clash } = error as LimmatError & { readonly clash?: Clash };
  if (clash?.columns === undefined) return clash?.rule === columns[0];
  return new Set(clash.columns).symmetricDifference(new Set(columns)).size === 0;
}
