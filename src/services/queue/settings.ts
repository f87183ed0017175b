import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";

/** Configuration of queues. */
export const queueSettings: Configuration.Group<{
  readonly shouldRunJobs: ConfigurationField<boolean>;
  readonly concurrency: ConfigurationField<number>;
  readonly keepMs: ConfigurationField<number>;
  readonly keepFailedMs: ConfigurationField<number>;
}> = Configuration.group({
  shouldRunJobs: Configuration.bool("QUEUE_PROCESS", {
    description: "true to run jobs in a process that runs the server",
    default: (environment) => environment !== "test",
  }),
  concurrency: Configuration.int("QUEUE_CONCURRENCY", {
    description: "maximum number of jobs that a process runs at the same time",
    default: 10,
    min: 1,
    max: 1000,
  }),
  keepMs: Configuration.duration("QUEUE_KEEP", {
    description: "how long succeeded and cancelled jobs are kept",
    default: Time.days(7),
  }),
  keepFailedMs: Configuration.duration("QUEUE_KEEP_FAILED", {
    description: "how long failed jobs are kept",
    default: Time.days(30),
  }),
});

// The application declares and checks this key; the description is the same there.
const shutdownTimeout = Configuration.duration("SHUTDOWN_TIMEOUT", {
  description: "the maximum duration of a graceful shutdown",
  default: Time.seconds(25),
});

/**
 * Returns the time for running jobs to end at shutdown, in milliseconds: `SHUTDOWN_TIMEOUT` less the time to release those
 * that do not.
 */
export function shutdownGraceMs(): number {
  const timeoutMs = Configuration.read(shutdownTimeout);
  return Math.max(timeoutMs - Time.seconds(5), timeoutMs / 2);
}
