import { Configuration } from "../config/index.ts";
import { frameworkFields } from "../config/internal.ts";
import type { ConfigurationField } from "../core/index.ts";
import { LogInternals } from "../log/index.ts";

const defaultShutdownTimeoutMs = 25_000;

const shutdownTimeoutField: ConfigurationField<number> = Configuration.duration("SHUTDOWN_TIMEOUT", {
  description: "the maximum duration of a graceful shutdown",
  default: defaultShutdownTimeoutMs,
  validate: (value) => (value > 0 ? undefined : "must be greater than zero"),
});

/** Configuration fields that every run reads, independent of its services. */
export const baseFields: readonly ConfigurationField[] = [
  ...frameworkFields,
  ...LogInternals.configurationFields,
  shutdownTimeoutField,
];

/** Returns the maximum duration of a graceful shutdown, in milliseconds: `SHUTDOWN_TIMEOUT`, 25 s by default. */
export function shutdownTimeoutMs(): number {
  try {
    return Configuration.read(shutdownTimeoutField);
  } catch {
    return defaultShutdownTimeoutMs; // Shutdown must work with an invalid configuration, which the start has reported.
  }
}
