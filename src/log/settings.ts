import { resolve } from "node:path";
import { Configuration, type ConfigurationField } from "../config/index.ts";
import { isError } from "../core/index.ts";
import { type Level, levels, type Reporter } from "./entry.ts";
import { consoleReporter } from "./console-reporter.ts";
import { fileReporter } from "./file-reporter.ts";

const settings = Configuration.group({
  level: Configuration.oneOf("LOG_LEVEL", {
    values: levels,
    description: "the least serious events that are logged",
    default: (environment) => (environment === "test" ? "warning" : "info"),
  }),
  folder: Configuration.string("LOGS_DIR", {
    description: "the folder of app.log and error.log, seen from the project's",
    default: "logs",
  }),
});

/** The configuration keys of the log, for the command `config`. */
export const fields: readonly ConfigurationField[] = settings.fields;

/** The level that `LOG_LEVEL` sets. */
export function configuredLevel(): Level {
  return orElse("info", () => settings.read().level);
}

/** The reporters that are used when none are given: the console's and the files'. */
export function defaultReporters(): readonly Reporter[] {
  const files = orElse([], () => [fileReporter(resolve(Configuration.root(), settings.read().folder))]);
  return [consoleReporter(), ...files];
}

// Logging never throws: what is wrong in the configuration is told by the check before the start.
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isError(cause)) throw cause;
    return fallback;
  }
}
