import { Command, isServer, lazy } from "../../core/index.ts";
import type { Queue } from "./contract.ts";
import type { StartWorker } from "./engine/run-commands.ts";
import { jobStatuses } from "./store/contract.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadRuns = lazy(() => import("./engine/run-commands.ts"));

/** Creates the commands `queue.work`, `queue.list`, `queue.requeue`, `queue.cancel` and `queue.purge`. */
export function createCommands(queue: () => Queue, startWorker: StartWorker): readonly Command.Command[] {
  const dependencies = (): readonly Queue[] => [queue()];
  return [
    Command.make({
      name: "queue.work",
      usage: "[<job>...]",
      description: "Runs jobs, all or those named, until it is stopped",
      details: async () => (await loadRuns()).workDetails,
      isLongRunning: true,
      dependencies: (_, services) => services.filter((service) => !isServer(service)),
      run: async (args, context) => (await loadRuns()).runJobs(startWorker, args, context),
    }),
    Command.make({
      name: "queue.list",
      usage: "[--status <status>] [--name <job>] [--tag <tag>] [--filter <text>] [--limit <n>] [--offset <n>] [--json]",
      description: "Lists the jobs of the queue, newest first",
      details: `A status is one of ${jobStatuses.join(", ")}.\nWithout --limit, 50 jobs are listed.`,
      dependencies,
      run: async (args, context) => (await loadRuns()).listJobs(queue(), args, context),
    }),
    Command.make({
      name: "queue.requeue",
      usage: "<id>... | --failed [--name <job>] [--json]",
      description: "Makes jobs due now, with all their attempts left",
      details: "With --failed: all failed jobs, or those of one name.",
      dependencies,
      run: async (args, context) => (await loadRuns()).requeueJobs(queue(), args, context),
    }),
    Command.make({
      name: "queue.cancel",
      usage: "<id>... [--json]",
      description: "Cancels pending or running jobs",
      dependencies,
      run: async (args, context) => (await loadRuns()).cancelJobs(queue(), args, context),
    }),
    Command.make({
      name: "queue.purge",
      usage: "[--older-than <duration>] [--status succeeded|failed|cancelled] [--json]",
      description: "Deletes finished jobs",
      details: "A duration is written as 7d or 12h. Without one, all finished jobs are deleted.",
      dependencies,
      run: async (args, context) => (await loadRuns()).purgeJobs(queue(), args, context),
    }),
  ];
}
