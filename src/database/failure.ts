import { isError, type LimmatError } from "../core/index.ts";
import type { Driver } from "./contract.ts";
import { errors } from "./errors.ts";
import { withClash } from "./taken.ts";

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The typed error of what a driver threw, with that as its cause. Errors of the framework stay what they are. */
export function failure(driver: Driver, cause: unknown, text: string): LimmatError {
  if (isError(cause)) return cause;
  return translate(driver, cause, text).causedBy(cause);
}

function translate(driver: Driver, cause: unknown, text: string): LimmatError {
  switch (driver.classify(cause)) {
    case "unique":
      return withClash(errors.E_DATABASE_UNIQUE(), driver.clash(cause));
    case "foreign key":
      return errors.E_DATABASE_FOREIGN_KEY();
    case "not null":
      return errors.E_DATABASE_NOT_NULL(messageOf(cause));
    case "check":
      return errors.E_DATABASE_CHECK(messageOf(cause));
    case "value":
      return errors.E_DATABASE_VALUE(messageOf(cause));
    case "deadlock":
      return errors.E_DATABASE_DEADLOCK();
    case "serialization":
      return errors.E_DATABASE_SERIALIZATION();
    case "lock time-out":
      return errors.E_DATABASE_LOCK_TIMEOUT();
    case "read only":
      return errors.E_DATABASE_READ_ONLY();
    case "no table":
      return errors.E_DATABASE_NO_TABLE(messageOf(cause), text);
    case "lost":
      return errors.E_DATABASE_CONNECTION_LOST();
    default:
      return errors.E_DATABASE_STATEMENT(messageOf(cause), text);
  }
}
