import { resolve } from "node:path";
import { Configuration, type ConfigurationField } from "../../config/index.ts";

const settings = Configuration.group({
  directory: Configuration.string("PUBLIC_DIR", {
    description: "directory of the static files, from the root of the project",
    default: "public",
  }),
  prefix: Configuration.string("PUBLIC_URI_PREFIX", {
    description: "path under which the static files are served",
    default: "/assets",
    validate: (prefix) =>
      /^\/$|^(?:\/[\w~-][\w.~-]*)+$/.test(prefix)
        ? undefined
        : "must start with a slash, not end with one, and have no segment that begins with a dot",
  }),
});

/** What the static files read. */
export const staticConfiguration: readonly ConfigurationField[] = settings.fields;

/** The directory of the static files, absolute. */
export function publicDirectory(): string {
  const { directory } = settings.read();
  return resolve(Configuration.root(), directory);
}

/** The path under which they are served: `/assets`. */
export function publicPrefix(): string {
  return settings.read().prefix;
}
