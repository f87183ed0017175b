import { pathToFileURL } from "node:url";
import { join } from "node:path";

/**
 * Argument of Node, for the server of a project, that disables load shedding: `without-load-shedding.mjs`. On a busy machine a part
 * of the requests would be refused.
 */
export const withoutLoadShedding: string = `--import=${pathToFileURL(join(import.meta.dirname, "without-load-shedding.mjs")).href}`;
