import { type Catalogue, catalogue } from "../../core/index.ts";
import { TimeInternals } from "../../time/index.ts";

const entries = {
  E_QUEUE_INPUT: {
    status: 422,
    message: (job: string, problems: string): string => `The input of the job "${job}" is invalid: ${problems}`,
  },
  E_QUEUE_JOB: (job: string, problem: string): string => `The job ${JSON.stringify(job)} is invalid: ${problem}`,
  E_QUEUE_JOB_TAKEN: (job: string): string =>
    `Another job is named "${job}". Rename one of the two. Registering the same definition again is allowed.`,
  E_QUEUE_JOB_NAME: (unknown: readonly string[], known: readonly string[]): string =>
    `No job is named ${unknown.map((name) => `"${name}"`).join(", ")}. Registered jobs: ${known.join(", ") || "none"}.`,
  E_QUEUE_JOB_UNKNOWN: {
    status: 404,
    message: "There is no such job: it never existed or was deleted.",
  },
  E_QUEUE_QUERY: { status: 400, message: (problem: string): string => problem },
  E_QUEUE_LOST: "The process that ran the job died, or could not renew its lease in time. Another process takes over.",
  E_QUEUE_TIMEOUT: (timeoutMs: number): string =>
    `The job took longer than its timeout of ${TimeInternals.formatDuration(timeoutMs)}.`,
  E_QUEUE_DASHBOARD_CLOSED: { status: 404, message: "There is no such page." },
  E_QUEUE_CANCELLED: "The job was cancelled while it ran.",
  E_QUEUE_ENDING:
    "The process shuts down and cannot wait for the job any longer. The job is released and starts again elsewhere.",
};

/** Errors of the queue service. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
