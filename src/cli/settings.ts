import { Configuration } from "../config/index.ts";
import type { ConfigurationField } from "../core/index.ts";
import { Log } from "../log/index.ts";

const standardTimeout = 25_000;

const timeout: ConfigurationField<number> = Configuration.duration("SHUTDOWN_TIMEOUT", {
  description: "how long the process may take to end once it is told to",
  default: standardTimeout,
  validate: (value) => (value > 0 ? undefined : "must be longer than nothing"),
});

/** The keys that every run reads, whatever services it starts. */
export const baseFields: readonly ConfigurationField[] = [...Configuration.fields, ...Log.fields, timeout];

/** How long the process may take to end, in milliseconds: `SHUTDOWN_TIMEOUT`, 25 s by default. */
export function shutdownTimeout(): number {
  try {
    return Configuration.read(timeout);
  } catch {
    return standardTimeout; // A process must be able to end whatever its configuration holds; the start has told.
  }
}
