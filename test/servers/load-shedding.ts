import { pathToFileURL } from "node:url";
import { join } from "node:path";

/** Argument of Node that disables load shedding in the server of a project. On a busy machine it would refuse requests. */
export const withoutLoadShedding: string = `--import=${pathToFileURL(join(import.meta.dirname, "without-load-shedding.mjs")).href}`;
