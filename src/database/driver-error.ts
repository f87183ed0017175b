import { isError, type LimmatError, messageOf } from "../core/index.ts";
import type { Driver, FailureKind, ForeignKeyViolation, UniqueViolation } from "./contract.ts";
import { errors } from "./errors.ts";
import { isReadOnlyText } from "./statement/statement.ts";

/** Translates an error of a driver to a typed error with the original as its cause. Returns typed errors unchanged. */
export function toDatabaseError(driver: Driver, cause: unknown, text: string): LimmatError {
  if (isError(cause)) return cause;
  return translate(driver, cause, text).causedBy(cause);
}

/**
 * Returns true if a statement failed because another row has the same values in these columns:
 * `isUniqueViolation(error, "email")`.
 *
 * MariaDB reports only the name of the constraint, which is the name of its first column unless the migration sets one.
 */
export function isUniqueViolation(error: unknown, ...columns: readonly [string, ...string[]]): error is LimmatError {
  if (!isError(error, "E_DATABASE_UNIQUE")) return false;
  const { violation } = error as LimmatError & { readonly violation?: UniqueViolation };
  if (violation?.columns === undefined) return violation?.constraint === columns[0];
  return new Set(violation.columns).symmetricDifference(new Set(columns)).size === 0;
}

/**
 * Returns true if a statement failed because these columns refer to a row that does not exist:
 * `isForeignKeyViolation(error, "project_id")`.
 *
 * SQLite does not report the columns: any violation of a foreign key is one of these columns there.
 */
export function isForeignKeyViolation(
  error: unknown,
  ...columns: readonly [string, ...string[]]
): error is LimmatError {
  if (!isError(error, "E_DATABASE_FOREIGN_KEY")) return false;
  const { violation } = error as LimmatError & { readonly violation?: ForeignKeyViolation };
  return violation === undefined || new Set(violation.columns).symmetricDifference(new Set(columns)).size === 0;
}

const missingColumnHint = 'Check the name of the column, and run the command "migrate" if a migration adds it.';

type ErrorFactory = (detail: string, text: string) => LimmatError;

const factories: Readonly<Partial<Record<FailureKind, ErrorFactory>>> = {
  "not null": errors.E_DATABASE_NOT_NULL,
  check: errors.E_DATABASE_CHECK,
  "invalid parameter": (detail, text) =>
    isReadOnlyText(text) ? errors.E_DATABASE_NO_MATCH() : errors.E_DATABASE_VALUE(detail),
  "invalid value": errors.E_DATABASE_VALUE,
  deadlock: errors.E_DATABASE_DEADLOCK,
  serialization: errors.E_DATABASE_SERIALIZATION,
  "lock timeout": errors.E_DATABASE_LOCK_TIMEOUT,
  "read only": errors.E_DATABASE_READ_ONLY,
  "no table": errors.E_DATABASE_NO_TABLE,
  "no column": (detail, text) => errors.E_DATABASE_STATEMENT(`${detail}. ${missingColumnHint}`, text),
  "connection lost": errors.E_DATABASE_CONNECTION_LOST,
};

function translate(driver: Driver, cause: unknown, text: string): LimmatError {
  const kind = driver.classify(cause);
  if (kind === "unique") return Object.assign(errors.E_DATABASE_UNIQUE(), { violation: driver.uniqueViolation(cause) });
  if (kind === "foreign key") {
    return Object.assign(errors.E_DATABASE_FOREIGN_KEY(), { violation: driver.foreignKeyViolation(cause) });
  }
  return (factories[kind] ?? errors.E_DATABASE_STATEMENT)(messageOf(cause), text);
}
