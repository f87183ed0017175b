import { createHash } from "node:crypto";
import { LogInternals } from "../../../log/index.ts";
import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import type { DispatchOptions, JobDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkTag, maxDelayMs } from "../job.ts";
import { type LogFields, type NewJob, priorities } from "../store/contract.ts";
import { encodeInput } from "./payload.ts";

const defaultMaxAttempts = 5;

/** Creates the jobs of a dispatch, one per input. @throws E_QUEUE_INPUT, E_QUEUE_JOB */
export async function createJobs(
  definition: JobDefinition,
  inputs: readonly unknown[],
  options: DispatchOptions,
): Promise<readonly NewJob[]> {
  const { name } = definition;
  const { ctx = [], priority = definition.priority ?? "normal", tag = definition.tag } = options;
  if (!priorities.includes(priority)) throw errors.E_QUEUE_JOB(name, "its priority must be high, normal or low.");
  if (tag !== undefined) checkTag(name, tag);
  const now = Time.now();
  const commonFields = {
    name,
    priority,
    max_attempts: definition.maxAttempts ?? defaultMaxAttempts,
    next_run_at: startTime(name, options, now),
    tag,
    ctx,
    created_at: now,
    log_fields: currentLogFields(),
  };
  const payloads = await Promise.all(inputs.map((input) => encodeInput(definition, input)));
  return payloads.map((input, index) => ({
    ...commonFields,
    id: Random.uuid(),
    input,
    unique_key: definition.unique === undefined ? undefined : hashKey(name, definition.unique(inputs[index])),
  }));
}

function startTime(name: string, { delayMs = 0, at }: DispatchOptions, now: Date): Date {
  const start = at ?? new Date(now.getTime() + delayMs);
  if (!(delayMs >= 0 && start.getTime() - now.getTime() <= maxDelayMs)) {
    const problem = "delayMs must be milliseconds, at least 0, or `at` a date; both at most a hundred years ahead.";
    throw errors.E_QUEUE_JOB(name, problem);
  }
  return start < now ? now : start;
}

/** Hashes a unique key: a fixed length for keys of any length, and different hashes for different definitions. */
const hashKey = (name: string, key: string): string =>
  createHash("sha256").update(`${name}\n${key}`).digest("base64url");

/** Returns the current log fields of simple types, but not `worker`: another process may run the job. */
function currentLogFields(): LogFields {
  const fields = Object.entries(LogInternals.currentFields() ?? {}).filter(
    (field): field is [string, string | number | boolean] =>
      ["string", "number", "boolean"].includes(typeof field[1]) && field[0] !== "worker",
  );
  return Object.fromEntries(fields);
}
