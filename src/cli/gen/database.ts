import { suggest } from "../suggest.ts";
import { errors } from "./errors.ts";

/** The databases that projects run on, the default first. */
export const databases = ["sqlite", "postgresql", "mariadb"] as const;

/** The name of a database, as its door in `limmat/database/…` has it. */
export type DatabaseName = (typeof databases)[number];

/**
 * The database that an argument names.
 *
 * @throws E_GENERATE_DATABASE
 */
export function parseDatabase(name: string): DatabaseName {
  const found = databases.find((known) => known === name);
  if (found === undefined) throw errors.E_GENERATE_DATABASE(name, databases, suggest(name, databases)[0]);
  return found;
}
