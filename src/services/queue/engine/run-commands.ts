import { parseArgs } from "node:util";
import { Command } from "../../../core/index.ts";
import { TimeInternals } from "../../../time/index.ts";
import type { JobRecord, JobStatus, Queue } from "../contract.ts";
import { finalStatuses, jobStatuses } from "../store/contract.ts";

/** Runs a command on a queue. */
type RunCommand<Target = Queue> = (
  target: Target,
  args: readonly string[],
  context: Command.CommandContext,
) => Promise<Command.Done | undefined>;

/** Starts a worker that runs until the service drains; `only` limits it to jobs of these names. @throws E_QUEUE_JOB_NAME */
export type StartWorker = (only?: readonly string[]) => Promise<void>;

const jsonOption = { type: "boolean", default: false } as const;

/** Details of `queue.work`. */
export const workDetails: string =
  "Starts all services but the server. QUEUE_CONCURRENCY limits the number of jobs that run at the same\n" +
  "time. On SIGTERM it claims no more jobs, waits for the running ones, and releases those that are not\n" +
  "done shortly before SHUTDOWN_TIMEOUT.";

/** Runs `queue.work`. */
export const runJobs: RunCommand<StartWorker> = async (startWorker, args, { output, signal }) => {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  await startWorker(positionals.length === 0 ? undefined : positionals);
  output.note(`Running ${positionals.length === 0 ? "all jobs" : positionals.join(", ")}.`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return Command.done;
};

/** Runs `queue.list`. */
export const listJobs: RunCommand = async (queue, args, { output }) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      status: { type: "string" },
      name: { type: "string" },
      tag: { type: "string" },
      filter: { type: "string" },
      limit: { type: "string", default: "50" },
      offset: { type: "string", default: "0" },
      json: jsonOption,
    },
  });
  const { status, limit, offset, json, name, tag, filter } = values;
  if (![limit, offset].every((text) => /^\d{1,9}$/.test(text)) || !isStatusOrNone(status)) return undefined;
  const page = { limit: Number(limit), offset: Number(offset) };
  const [jobs, total] = await queue.search({ status, name, tag, filter, ...page });
  if (json) output.print(JSON.stringify({ total, jobs }));
  else {
    for (const job of jobs) output.print(formatJob(job));
    output.print(jobs.length === 0 ? "No jobs." : `${jobs.length} of ${total}`);
  }
  return Command.done;
};

/** Runs `queue.requeue`. */
export const requeueJobs: RunCommand = async (queue, args, { output }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { failed: { type: "boolean" }, name: { type: "string" }, json: jsonOption },
    allowPositionals: true,
  });
  const { failed = false, name, json } = values;
  if (failed === positionals.length > 0 || (name !== undefined && !failed)) return undefined;
  const ids = failed ? await failedIds(queue, name) : positionals;
  return changeJobs(ids, "requeued", (id) => queue.requeue(id), output, json);
};

/** Runs `queue.cancel`. */
export const cancelJobs: RunCommand = async (queue, args, { output }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: jsonOption },
    allowPositionals: true,
  });
  if (positionals.length === 0) return undefined;
  return changeJobs(positionals, "cancelled", (id) => queue.cancel(id), output, values.json);
};

/** Runs `queue.purge`. */
export const purgeJobs: RunCommand = async (queue, args, { output }) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "older-than": { type: "string", default: "0ms" },
      status: { type: "string" },
      json: jsonOption,
    },
  });
  const statuses = finalStatuses.filter((status) => values.status === undefined || values.status === status);
  if (statuses.length === 0) return undefined;
  const deleted = await queue.purge({ olderThanMs: TimeInternals.parseDuration(values["older-than"]), statuses });
  output.print(values.json ? JSON.stringify({ deleted }) : `Deleted ${deleted === 1 ? "1 job" : `${deleted} jobs`}.`);
  return Command.done;
};

/** Changes jobs one by one, and prints the number of changed jobs and the IDs of the refused ones. */
async function changeJobs(
  ids: readonly string[],
  participle: string,
  change: (id: string) => Promise<boolean>,
  output: Command.Output,
  isJson: boolean,
): Promise<Command.Done> {
  const changed: string[] = [];
  const refused: string[] = [];
  for (const id of ids) ((await change(id)) ? changed : refused).push(id);
  if (isJson) output.print(JSON.stringify({ [participle]: changed, refused }));
  else {
    const reason = "There is no such job, or its status does not allow it.";
    for (const id of refused) output.note(`Not ${participle}: ${id}. ${reason}`);
    output.print(`${changed.length} of ${ids.length} ${participle}.`);
  }
  return Command.done;
}

async function failedIds(queue: Queue, name: string | undefined): Promise<readonly string[]> {
  const ids: string[] = [];
  const limit = 1000;
  for (let total = 1; ids.length < total;) {
    const [jobs, count] = await queue.search({ status: "failed", name, sort: "asc", limit, offset: ids.length });
    if (jobs.length === 0) break;
    ids.push(...jobs.map(({ id }) => id));
    total = count;
  }
  return ids;
}

const isStatusOrNone = (text: string | undefined): text is JobStatus | undefined =>
  text === undefined || jobStatuses.some((status) => status === text);

function formatJob({ id, status, name, attempts, max_attempts, created_at, tag, last_error }: JobRecord): string {
  // An error can quote untrusted input, so control characters are removed: they could command the terminal.
  const error = (last_error ?? "").split("\n", 1)[0]?.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ") ?? "";
  const counts = `${attempts}/${max_attempts}`;
  return [id, status.padEnd(9), counts, created_at.toISOString(), name, tag ?? "", error].join("  ").trimEnd();
}
