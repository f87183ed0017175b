import { resolve } from "node:path";
import { Configuration, type ConfigurationField, ConfigurationInternals } from "../../config/index.ts";

const staticSettings = Configuration.group({
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

/** Configuration fields of the static files. */
export const staticConfiguration: readonly ConfigurationField[] = staticSettings.fields;

/** Returns the absolute path of the public directory. */
export function publicDirectory(): string {
  const { directory } = staticSettings.read();
  return resolve(ConfigurationInternals.root(), directory);
}

/** Returns the path prefix of the static files: `/assets`. */
export function publicPrefix(): string {
  return staticSettings.read().prefix;
}
