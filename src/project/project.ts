import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationInternals } from "../config/index.ts";
import type { DatabaseName } from "./database.ts";
import { errors } from "./errors.ts";
import { readProjectFile } from "./write-files.ts";

const serviceList = "service/service.ts";

/**
 * Returns the root of the current project.
 *
 * @throws E_GENERATE_MISSING outside of a project.
 */
export function projectRoot(): string {
  const root = ConfigurationInternals.root();
  if (!existsSync(join(root, "run/run.ts"))) {
    throw errors.E_GENERATE_MISSING(join(root, "run/run.ts"), "Run generators inside of a project.");
  }
  return root;
}

/**
 * Checks that `service/service.ts` exports a database. `reason` is the first half of the error message, such as
 * "Accounts are stored in a database".
 *
 * @throws E_GENERATE_MISSING
 */
export function requireDatabase(root: string, reason: string): void {
  if (/^export const database\b/m.test(readServiceList(root))) return;
  throw errors.E_GENERATE_MISSING("export const database", `${reason}: add one to ${serviceList}.`);
}

/** Returns a warning if `service/service.ts` uses another database than `database`, else `undefined`. */
export function databaseMismatch(root: string, database: DatabaseName): string | undefined {
  const names = usedDatabases(root);
  if (names.length === 0 || names.includes(database)) return undefined;
  return `${serviceList} uses ${names.join(" and ")}, not ${database}. The generated code runs on all of them.`;
}

/**
 * Checks that `service/service.ts` does not use several databases, so that a command need not name one.
 *
 * @throws E_GENERATE_DATABASE_AMBIGUOUS
 */
export function requireSingleDatabase(root: string): void {
  const names = usedDatabases(root);
  if (names.length > 1) throw errors.E_GENERATE_DATABASE_AMBIGUOUS(serviceList, names);
}

/** Returns the names of the databases that `service/service.ts` imports. */
function usedDatabases(root: string): readonly string[] {
  const imports = readServiceList(root).matchAll(/^import .*"limmat\/database\/([a-z]+)"/gm);
  return [...new Set([...imports].map(([, name = ""]) => name))];
}

const readServiceList = (root: string): string => readProjectFile(root, serviceList) ?? "";
