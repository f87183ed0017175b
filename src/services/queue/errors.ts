import { type Catalogue, catalogue } from "../../core/index.ts";
import { Time } from "../../time/index.ts";

const entries = {
  E_QUEUE_INPUT: {
    status: 422,
    message: (job: string, problems: string): string => `The input of the job "${job}" is not right: ${problems}`,
  },
  E_QUEUE_JOB: {
    message: (job: string, problem: string): string => `The job ${JSON.stringify(job)} is not right: ${problem}`,
  },
  E_QUEUE_JOB_TAKEN: {
    message: (job: string): string =>
      `There is another job named "${job}". Give one of them another name; the same job may be registered often.`,
  },
  E_QUEUE_JOB_UNKNOWN: { status: 404, message: (): string => "There is no such job (any more)." },
  E_QUEUE_QUERY: { status: 400, message: (problem: string): string => problem },
  E_QUEUE_LOST: {
    message: (): string =>
      "The process that ran the job ended, or could not say in time that it lives. Another one takes over.",
  },
  E_QUEUE_TIMEOUT: {
    message: (timeout: number): string => `The job took longer than its timeout of ${Time.formatDuration(timeout)}.`,
  },
  E_QUEUE_CANCELLED: {
    message: (): string => "The job was cancelled while it ran.",
  },
  E_QUEUE_ENDING: {
    message: (): string =>
      "The process ends and can wait no longer. The job is handed back, and begins anew elsewhere.",
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
