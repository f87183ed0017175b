import { suggest } from "../suggest.ts";
import { errors } from "./errors.ts";

/** Supported databases, the default first. */
export const databases = ["sqlite", "postgresql", "mariadb"] as const;

/** Name of a supported database, as in the entry point `limmat/database/<name>`. */
export type DatabaseName = (typeof databases)[number];

/**
 * Parses the name of a database.
 *
 * @throws E_GENERATE_DATABASE
 */
export function parseDatabase(name: string): DatabaseName {
  const database = databases.find((supported) => supported === name);
  if (database === undefined) throw errors.E_GENERATE_DATABASE(name, databases, suggest(name, databases)[0]);
  return database;
}
