import { resolve } from "node:path";
import { Configuration, type ConfigurationField, ConfigurationInternals } from "../config/index.ts";
import { isError } from "../core/index.ts";
import { consoleReporter, fileReporter } from "./reporters.ts";
import { type Level, levels, type Reporter } from "./entry.ts";

const logSettings = Configuration.group({
  level: Configuration.oneOf("LOG_LEVEL", {
    values: levels,
    description: "the least serious events that are logged",
    default: (environment) => (environment === "test" ? "warning" : "info"),
  }),
  folder: Configuration.string("LOGS_DIR", {
    description: "the folder of app.log and error.log, relative to the project's",
    default: "logs",
  }),
});

/** Configuration fields of the log, for the command `config`. */
export const configurationFields: readonly ConfigurationField[] = logSettings.fields;

/** Returns the level that `LOG_LEVEL` sets. */
export function configuredLevel(): Level {
  return withFallback("info", () => logSettings.read().level);
}

/** Creates the default reporters: console and files. */
export function defaultReporters(): readonly Reporter[] {
  const files = withFallback([], () => [
    fileReporter(resolve(ConfigurationInternals.root(), logSettings.read().folder)),
  ]);
  return [consoleReporter(), ...files];
}

// Logging never throws. The check of the configuration reports its problems before the start.
function withFallback<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isError(cause)) throw cause;
    return fallback;
  }
}
