import type { JobRecord } from "../contract.ts";

/** Returns the public fields of a stored job. */
export function toJobRecord(stored: JobRecord): JobRecord {
  return {
    id: stored.id,
    name: stored.name,
    input: stored.input,
    status: stored.status,
    priority: stored.priority,
    attempts: stored.attempts,
    max_attempts: stored.max_attempts,
    next_run_at: stored.next_run_at,
    last_error: stored.last_error,
    last_error_at: stored.last_error_at,
    tag: stored.tag,
    ctx: stored.ctx,
    started_at: stored.started_at,
    leased_until: stored.leased_until,
    finished_at: stored.finished_at,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
  };
}
