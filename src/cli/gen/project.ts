import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Configuration } from "../../config/index.ts";
import type { DatabaseName } from "./database.ts";
import { errors } from "./errors.ts";

/**
 * The root of the project that is worked on.
 *
 * @throws E_GENERATE_MISSING outside of a project.
 */
export function projectRoot(): string {
  const root = Configuration.root();
  if (!existsSync(join(root, "run/run.ts"))) {
    throw errors.E_GENERATE_MISSING(join(root, "run/run.ts"), "Generators work inside of a project.");
  }
  return root;
}

/**
 * Makes sure that `service/service.ts` chooses a database.
 *
 * @throws E_GENERATE_MISSING with what needs it: "Accounts are kept in a database".
 */
export function requireDatabase(root: string, need: string): void {
  const path = join(root, "service/service.ts");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (/^export const database\b/m.test(text)) return;
  throw errors.E_GENERATE_MISSING("export const database", `${need}: choose one in service/service.ts.`);
}

/** What to say when `service/service.ts` chooses another database than the one named; `undefined` when it does not. */
export function mismatch(root: string, database: DatabaseName): string | undefined {
  const path = join(root, "service/service.ts");
  const chosen = existsSync(path) ? /"limmat\/database\/([a-z]+)"/.exec(readFileSync(path, "utf8"))?.[1] : undefined;
  if (chosen === undefined || chosen === database) return undefined;
  return `service/service.ts chooses ${chosen}, not ${database}. The generated code runs on both.`;
}
