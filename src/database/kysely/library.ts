import { createRequire } from "node:module";
import type * as Kysely from "kysely";
import { errors } from "../errors.ts";

/** Exports of the package `kysely`. */
export type KyselyLibrary = typeof Kysely;

/** Supported version. */
const supportedVersion = "0.29";

/**
 * Loads the package `kysely` synchronously, because instances are created at module level.
 *
 * @throws E_DATABASE_DRIVER_MISSING
 */
export function loadKysely(): KyselyLibrary {
  try {
    return createRequire(import.meta.url)("kysely") as KyselyLibrary;
  } catch (cause) {
    if (!isKyselyMissing(cause)) throw cause;
    throw errors.E_DATABASE_DRIVER_MISSING("kysely", supportedVersion).causedBy(cause);
  }
}

const isKyselyMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "MODULE_NOT_FOUND" && cause.message.includes("'kysely'");
