import { Log } from "../../log/index.ts";
import type { Job } from "./contract.ts";
import { errors } from "./errors.ts";
import { furthest } from "./limits.ts";

const log = Log.source("limmat.queue");

/** How a try ended: the last of them failed the job for good. */
export type End = "succeeded" | "retried" | "failed";

/** The jobs that a process knows, by name, and how it went with them. */
export class Registry {
  readonly #jobs = new Map<string, Job>();
  readonly #unknown = new Set<string>();
  readonly #ends = new Map<string, Map<End, number>>();

  /** How the tries of this process have ended, by name of the job. */
  get ends(): ReadonlyMap<string, ReadonlyMap<End, number>> {
    return this.#ends;
  }

  /** Counts the end of a try. */
  count(name: string, end: End): void {
    const ends = this.#ends.get(name) ?? new Map<End, number>();
    this.#ends.set(name, ends.set(end, (ends.get(end) ?? 0) + 1));
  }

  get names(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  find(name: string): Job | undefined {
    return this.#jobs.get(name);
  }

  /** Throws E_QUEUE_JOB_TAKEN, E_QUEUE_JOB. */
  add(job: Job): void {
    check(job);
    this.#checkName(job);
    this.#jobs.set(job.name, job);
  }

  /** Whether a job may be dispatched; one that is not known here is told of once, because it may have been forgotten. */
  checkDispatch(job: Job): void {
    const { name } = job;
    this.#checkName(job);
    if (this.#jobs.has(name) || this.#unknown.has(name)) return;
    check(job);
    this.#unknown.add(name);
    log.warning(`The job "${name}" is dispatched but not registered: it waits for a process that knows it`, {
      job: name,
    });
  }

  #checkName(job: Job): void {
    const known = this.#jobs.get(job.name);
    if (known !== undefined && known !== job) throw errors.E_QUEUE_JOB_TAKEN(job.name);
  }
}

function check({ name, maxTries = 1, retryDelay = 0, timeout = 1, tag = "" }: Job): void {
  const refuse = (problem: string): never => {
    throw errors.E_QUEUE_JOB(name, problem);
  };
  if (!/^[\w.:-]{1,128}$/.test(name)) refuse("its name must be letters, digits, dots, colons or dashes, at most 128.");
  if (!Number.isSafeInteger(maxTries) || maxTries < 1) refuse("maxTries must be a whole number above 0.");
  if (!(retryDelay >= 0 && retryDelay <= furthest)) {
    refuse("retryDelay must be milliseconds, at least 0, and at most a hundred years.");
  }
  if (!(timeout > 0 && timeout < Infinity)) refuse("timeout must be milliseconds, above 0.");
  checkTag(name, tag);
}

/** Throws E_QUEUE_JOB for a tag that no store can keep. */
export function checkTag(job: string, tag: string): void {
  if (tag.length > 128) throw errors.E_QUEUE_JOB(job, "its tag has more than 128 characters.");
  if (/\p{Cc}/u.test(tag) || !tag.isWellFormed()) throw errors.E_QUEUE_JOB(job, "its tag holds control characters.");
}
