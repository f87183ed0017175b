import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Instance, Queue, Status } from "./contract.ts";
import { endStatuses, statuses } from "./store.ts";

/** Works jobs until the service drains; only those named, if any are. */
type Work = (only?: readonly string[]) => Promise<void>;

/** The commands `queue.work`, `queue.list`, `queue.requeue`, `queue.cancel` and `queue.purge`. */
export function commandsOf(queue: Queue, work: Work): readonly Command.Command[] {
  return [workCommand(work), listCommand(queue), requeueCommand(queue), cancelCommand(queue), purgeCommand(queue)];
}

function workCommand(work: Work): Command.Command {
  return Command.make({
    name: "queue.work",
    usage: "[<job>...]",
    description: "Works jobs, all or those named, until it is told to end",
    details:
      "Starts all services but the server. QUEUE_CONCURRENCY says how many jobs are under way at most. When it is told " +
      "to end it takes\nno more, waits for those under way, and hands back what is not done shortly before SHUTDOWN_TIMEOUT.",
    isLongRunning: true,
    dependencies: (_, services) => services.filter(({ fetch }) => fetch === undefined),
    run: async (args, { output, signal }) => {
      const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
      await work(positionals.length === 0 ? undefined : positionals);
      output.note(`Working ${positionals.length === 0 ? "all jobs" : positionals.join(", ")}.`);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return Command.done;
    },
  });
}

function listCommand(queue: Queue): Command.Command {
  return Command.make({
    name: "queue.list",
    usage: "[--status <status>] [--name <job>] [--tag <tag>] [--filter <text>] [--limit <n>] [--offset <n>] [--json]",
    description: "Shows the jobs of the queue, newest first",
    details: `A status is one of ${statuses.join(", ")}. Without --limit the last 50 are shown.`,
    dependencies: () => [queue],
    run: async (args, { output }) => {
      const { values } = parseArgs({
        args: [...args],
        options: {
          status: { type: "string" },
          name: { type: "string" },
          tag: { type: "string" },
          filter: { type: "string" },
          limit: { type: "string", default: "50" },
          offset: { type: "string", default: "0" },
          json: { type: "boolean", default: false },
        },
      });
      const { status, limit, offset, json, name, tag, filter } = values;
      if (![limit, offset].every((text) => /^\d{1,9}$/.test(text)) || !isStatusOrNone(status)) return undefined;
      const page = { limit: Number(limit), offset: Number(offset) };
      const [instances, total] = await queue.search({ status, name, tag, filter, ...page });
      if (json) output.print(JSON.stringify({ total, jobs: instances }));
      else {
        for (const instance of instances) output.print(lineOf(instance));
        output.print(instances.length === 0 ? "No jobs." : `${instances.length} of ${total}`);
      }
      return Command.done;
    },
  });
}

function requeueCommand(queue: Queue): Command.Command {
  return Command.make({
    name: "queue.requeue",
    usage: "<id>... | --failed [--name <job>] [--json]",
    description: "Lets jobs begin now, with all their tries before them",
    details: "With --failed all that have failed, or those of one job.",
    dependencies: () => [queue],
    run: async (args, { output }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { failed: { type: "boolean" }, name: { type: "string" }, json: { type: "boolean", default: false } },
        allowPositionals: true,
      });
      const { failed = false, name, json } = values;
      if (failed === positionals.length > 0 || (name !== undefined && !failed)) return undefined;
      const ids = failed ? await failedIds(queue, name) : positionals;
      return each(ids, "requeued", (id) => queue.requeue(id), output, json);
    },
  });
}

function cancelCommand(queue: Queue): Command.Command {
  return Command.make({
    name: "queue.cancel",
    usage: "<id>... [--json]",
    description: "Calls pending or running jobs off",
    dependencies: () => [queue],
    run: async (args, { output }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { json: { type: "boolean", default: false } },
        allowPositionals: true,
      });
      if (positionals.length === 0) return undefined;
      return each(positionals, "cancelled", (id) => queue.cancel(id), output, values.json);
    },
  });
}

function purgeCommand(queue: Queue): Command.Command {
  return Command.make({
    name: "queue.purge",
    usage: "[--older-than <duration>] [--status succeeded|failed|cancelled] [--json]",
    description: "Deletes jobs that have ended",
    details: "A duration is written as 7d or 12h. Without one, whatever has ended is deleted.",
    dependencies: () => [queue],
    run: async (args, { output }) => {
      const { values } = parseArgs({
        args: [...args],
        options: {
          "older-than": { type: "string", default: "0ms" },
          status: { type: "string" },
          json: { type: "boolean", default: false },
        },
      });
      const chosen = endStatuses.filter((status) => values.status === undefined || values.status === status);
      if (chosen.length === 0) return undefined;
      const deleted = await queue.purge({ olderThan: Time.parseDuration(values["older-than"]), statuses: chosen });
      output.print(
        values.json ? JSON.stringify({ deleted }) : `Deleted ${deleted === 1 ? "1 job" : `${deleted} jobs`}.`,
      );
      return Command.done;
    },
  });
}

/** Does something to each, says how many it was done to, and which of them it could not be done to. */
async function each(
  ids: readonly string[],
  what: string,
  act: (id: string) => Promise<boolean>,
  output: Command.Output,
  isJson: boolean,
): Promise<Command.Done> {
  const done: string[] = [];
  const refused: string[] = [];
  for (const id of ids) ((await act(id)) ? done : refused).push(id);
  if (isJson) output.print(JSON.stringify({ [what]: done, refused }));
  else {
    for (const id of refused) output.note(`Not ${what}: ${id}. There is no such job, or its status does not allow it.`);
    output.print(`${done.length} of ${ids.length} ${what}.`);
  }
  return Command.done;
}

async function failedIds(queue: Queue, name: string | undefined): Promise<readonly string[]> {
  const ids: string[] = [];
  const limit = 1000;
  for (let total = 1; ids.length < total;) {
    const [instances, count] = await queue.search({ status: "failed", name, sort: "asc", limit, offset: ids.length });
    if (instances.length === 0) break;
    ids.push(...instances.map(({ id }) => id));
    total = count;
  }
  return ids;
}

const isStatusOrNone = (text: string | undefined): text is Status | undefined =>
  text === undefined || statuses.some((status) => status === text);

function lineOf({ id, status, name, tries, max_tries, created_at, tag, last_error }: Instance): string {
  // What an error quotes may come from a stranger, and must not command a terminal.
  const error = (last_error ?? "").split("\n", 1)[0]?.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ") ?? "";
  const parts = [id, status.padEnd(9), `${tries}/${max_tries}`, created_at.toISOString(), name, tag ?? "", error];
  return parts.join("  ").trimEnd();
}
