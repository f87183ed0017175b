import { createHash } from "node:crypto";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { DispatchOptions, Job } from "./contract.ts";
import { errors } from "./errors.ts";
import { furthest } from "./limits.ts";
import { encode } from "./payload.ts";
import { checkTag } from "./registry.ts";
import { type LogFields, type NewInstance, priorities } from "./store.ts";

const standardTries = 5;

/**
 * The instances that a dispatch adds.
 *
 * @throws E_QUEUE_INPUT, E_QUEUE_JOB
 */
export async function instancesOf(
  job: Job,
  inputs: readonly unknown[],
  options: DispatchOptions,
): Promise<readonly NewInstance[]> {
  const { ctx = [], priority = job.priority ?? "normal", tag = job.tag } = options;
  if (!priorities.includes(priority)) throw errors.E_QUEUE_JOB(job.name, "its priority must be high, normal or low.");
  if (tag !== undefined) checkTag(job.name, tag);
  const now = Time.now();
  const same = {
    name: job.name,
    priority,
    max_tries: job.maxTries ?? standardTries,
    next_run_at: beginOf(job, options, now),
    tag,
    ctx,
    created_at: now,
    log_fields: logFields(),
  };
  const payloads = await Promise.all(inputs.map((input) => encode(job, input)));
  return payloads.map((input, index) => ({
    ...same,
    id: Random.uuid(),
    input,
    unique_key: job.unique === undefined ? undefined : keyOf(job.name, job.unique(inputs[index])),
  }));
}

function beginOf(job: Job, { delay = 0, at }: DispatchOptions, now: Date): Date {
  const begin = at ?? new Date(now.getTime() + delay);
  // Beyond that the places in the line end (`positions`), and no table could hold one.
  if (!(delay >= 0 && begin.getTime() - now.getTime() <= furthest)) {
    const problem =
      "its delay must be milliseconds, at least 0, or its time a date, both at most a hundred years ahead.";
    throw errors.E_QUEUE_JOB(job.name, problem);
  }
  return begin < now ? now : begin;
}

/** Keys of any length take the same room, and those of different jobs differ. */
const keyOf = (name: string, key: string): string => createHash("sha256").update(`${name}\n${key}`).digest("base64url");

/** What the log says here of where it is, but for the number of the process, which is another's later. */
function logFields(): LogFields {
  const fields = Object.entries(Log.currentFields() ?? {}).filter(
    (field): field is [string, string | number | boolean] =>
      ["string", "number", "boolean"].includes(typeof field[1]) && field[0] !== "worker",
  );
  return Object.fromEntries(fields);
}
