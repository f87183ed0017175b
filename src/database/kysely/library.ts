import { createRequire } from "node:module";
import type * as Kysely from "kysely";
import { errors } from "../errors.ts";

/** The package `kysely`. */
export type Library = typeof Kysely;

/** The version that is known to work. */
const version = "0.29";

/**
 * Loads the package: at once, because instances are made where modules begin, and only when one is made.
 *
 * @throws E_DATABASE_DRIVER_MISSING
 */
export function loadLibrary(): Library {
  try {
    return createRequire(import.meta.url)("kysely") as Library;
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw errors.E_DATABASE_DRIVER_MISSING("kysely", version).causedBy(cause);
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "MODULE_NOT_FOUND" && cause.message.includes("'kysely'");
