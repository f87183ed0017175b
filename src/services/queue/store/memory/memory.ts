import { Time, TimeInternals } from "../../../../time/index.ts";
import type { JobQuery, JobRecord, Queue } from "../../contract.ts";
import { makeQueue, type QueueOptions } from "../../service.ts";
import { type ClaimedJob, type Lease, priorities, type QueueStore, toJobRecord } from "../contract.ts";
import { type MemoryJob, MemoryJobs } from "./memory-jobs.ts";

/**
 * Creates a queue in the memory of this process, for tests and for small applications that can afford to lose jobs. All jobs
 * are lost when the process ends, other processes do not see them, and a rollback does not undo a dispatch.
 *
 * @example
 * export const queue = Queue.memory({ jobs: () => jobs });
 */
export function memory(options: QueueOptions = {}): Queue {
  return makeQueue(memoryStore(), options);
}

/** Creates a store in the memory of this process: lost when it ends, and invisible to other processes. */
export function memoryStore(): QueueStore {
  const jobs = new MemoryJobs();
  const { pending } = jobs;

  /** Calls `action` for each lease that is still held, and returns these. */
  const forHeldLeases = <T extends Lease>(
    leases: readonly T[],
    action: (job: MemoryJob, lease: T) => void,
  ): ReadonlySet<T> => {
    const held = new Set<T>();
    for (const lease of leases) {
      const job = jobs.get(lease.job_id);
      if (job?.status !== "running" || job.lease_id !== lease.lease_id) continue;
      action(job, lease);
      held.add(lease);
    }
    return held;
  };

  return {
    implementation: "memory",

    dependencies: () => [],

    insert: async (newJobs) =>
      newJobs.map((job) => {
        const activeId = jobs.activeIdOf(job);
        if (activeId === undefined) jobs.add(job);
        return activeId ?? job.id;
      }),

    afterCommit: (callback) => callback(),

    findOpt: async (id) => {
      const job = jobs.get(id);
      return job === undefined ? undefined : toJobRecord(job);
    },

    search: async (query) => searchJobs(jobs, query),

    counts: async () => {
      const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
      for (const { status } of jobs.all()) counts[status] += 1;
      return counts;
    },

    cancel: async (id) => {
      const job = jobs.get(id);
      if (job?.status !== "pending" && job?.status !== "running") return false;
      jobs.finish(job, "cancelled");
      return true;
    },

    requeue: async (id) => {
      const job = jobs.get(id);
      if (job === undefined || job.status === "running") return false;
      const activeId = jobs.activeIdOf(job);
      if (activeId !== undefined && activeId !== id) return false;
      jobs.reschedule(job, Time.now(), { attempts: 0 });
      return true;
    },

    purge: async (statuses, before) => {
      const expired = jobs.filter(
        ({ status, finished_at }) =>
          statuses.some((finalStatus) => finalStatus === status) && finished_at !== undefined && finished_at <= before,
      );
      expired.forEach(({ id }) => jobs.delete(id));
      return expired.length;
    },

    clean: async () => jobs.clear(),

    waiting: async () => {
      const due = priorities.flatMap((priority) => [...pending[priority]].filter(isDue));
      return [...Map.groupBy(due, ({ name }) => name)].map(([name, group]) => ({
        name,
        count: group.length,
        oldest_due_at: earliest(group.map(({ next_run_at }) => next_run_at)) ?? Time.now(),
      }));
    },

    nextDue: async (names) =>
      earliest(
        priorities.flatMap((priority) => {
          for (const { name, next_run_at } of pending[priority]) if (names.includes(name)) return [next_run_at];
          return [];
        }),
      ),

    claim: async ({ names, limit, lease_id, leased_until }) => {
      const due: MemoryJob[] = [];
      for (const priority of priorities) {
        for (const job of pending[priority]) {
          if (due.length === limit || !isDue(job)) break;
          if (names.includes(job.name)) due.push(job);
        }
      }
      const changes = { status: "running", lease_id, leased_until, started_at: Time.now() } as const;
      return due.map((job) => toClaimedJob(jobs.update(job, { ...changes, attempts: job.attempts + 1 })));
    },

    renewLeases: async (leases, until) => forHeldLeases(leases, (job) => jobs.update(job, { leased_until: until })),

    recordOutcomes: async (outcomes) =>
      forHeldLeases(outcomes, (job, attempt) => {
        if (attempt.outcome === "succeeded") jobs.finish(job, "succeeded");
        else if (attempt.outcome === "failed") jobs.finish(job, "failed", lastError(attempt.error));
        else if (attempt.outcome === "released") jobs.makePending(job, { attempts: job.attempts - 1 });
        else jobs.reschedule(job, attempt.next_run_at, lastError(attempt.error));
      }),

    reclaim: async (names, error) => {
      const now = Time.now();
      const lost = jobs.filter(
        ({ status, leased_until, name }) =>
          status === "running" && leased_until !== undefined && leased_until < now && names.includes(name),
      );
      const failed = lost.filter(({ attempts, max_attempts }) => attempts >= max_attempts);
      const freed = lost.filter(({ attempts, max_attempts }) => attempts < max_attempts);
      freed.forEach((job) => jobs.makePending(job, lastError(error)));
      return {
        freed: freed.length,
        failed: failed.map((job) => toClaimedJob(jobs.finish(job, "failed", lastError(error)))),
      };
    },
  };
}

const isDue = ({ next_run_at }: MemoryJob): boolean => next_run_at.getTime() <= TimeInternals.timestamp();

const lastError = (error: string): Partial<MemoryJob> => ({ last_error: error, last_error_at: Time.now() });

const toClaimedJob = (job: MemoryJob): ClaimedJob => ({
  job: toJobRecord(job),
  lease_id: job.lease_id ?? "",
  log_fields: job.log_fields,
});

const earliest = (dates: readonly Date[]): Date | undefined =>
  dates.length === 0 ? undefined : new Date(Math.min(...dates.map((date) => date.getTime())));

/** Returns a page of the matching jobs and the number of all matches. Position orders jobs of the same millisecond. */
function searchJobs(jobs: MemoryJobs, query: JobQuery): readonly [readonly JobRecord[], number] {
  const { sort = "desc", filter = "", limit = 50, offset = 0, status, name, tag } = query;
  const text = toAsciiLowerCase(filter);
  const matches = jobs.filter(
    (job) =>
      (status === undefined || job.status === status) &&
      (name === undefined || job.name === name) &&
      (tag === undefined || job.tag === tag) &&
      [job.name, job.tag ?? ""].some((value) => toAsciiLowerCase(value).includes(text)),
  );
  matches.sort((left, right) => (sort === "asc" ? compareAge(left, right) : compareAge(right, left)));
  return [matches.slice(offset, offset + limit).map(toJobRecord), matches.length];
}

const compareAge = (left: MemoryJob, right: MemoryJob): number =>
  left.created_at.getTime() - right.created_at.getTime() || left.position - right.position;

const toAsciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
