import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";

/** The configuration of queues. */
export const settings: Configuration.Group<{
  readonly process: ConfigurationField<boolean>;
  readonly concurrency: ConfigurationField<number>;
  readonly keep: ConfigurationField<number>;
  readonly keepFailed: ConfigurationField<number>;
}> = Configuration.group({
  process: Configuration.bool("QUEUE_PROCESS", {
    description: "whether a process that runs the server works jobs, too",
    default: (environment) => environment !== "test",
  }),
  concurrency: Configuration.int("QUEUE_CONCURRENCY", {
    description: "how many jobs a process has under way at most",
    default: 10,
    min: 1,
    max: 1000,
  }),
  keep: Configuration.duration("QUEUE_KEEP", {
    description: "how long jobs that have succeeded or were cancelled are kept",
    default: Time.days(7),
  }),
  keepFailed: Configuration.duration("QUEUE_KEEP_FAILED", {
    description: "how long jobs that have failed are kept",
    default: Time.days(30),
  }),
});

// The deadline is the process's; it is described and checked there.
const shutdown = Configuration.duration("SHUTDOWN_TIMEOUT", {
  description: "how long the process may take to end once it is told to",
  default: Time.seconds(25),
});

/** How long jobs under way may take when the process ends: `SHUTDOWN_TIMEOUT` less what is needed to hand them back. */
export function grace(): number {
  const timeout = Configuration.read(shutdown);
  return Math.max(timeout - Time.seconds(5), timeout / 2);
}
