import type { JobQuery, JobRecord } from "../../contract.ts";
import { toJobRecord } from "../job-record.ts";
import type { MemoryJob } from "./memory-job.ts";

/** Returns a page of the matching jobs and the number of all matches. Position orders jobs of the same millisecond. */
export function searchJobs(jobs: readonly MemoryJob[], query: JobQuery): readonly [readonly JobRecord[], number] {
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

function compareAge(left: MemoryJob, right: MemoryJob): number {
  const differenceMs = left.created_at.getTime() - right.created_at.getTime();
  return differenceMs === 0 ? left.position - right.position : differenceMs;
}

const toAsciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
