import type { Instance } from "./contract.ts";

/** The part of an instance that others see, of what a store holds. */
export function instanceOf(held: Instance): Instance {
  return {
    id: held.id,
    name: held.name,
    input: held.input,
    status: held.status,
    priority: held.priority,
    tries: held.tries,
    max_tries: held.max_tries,
    next_run_at: held.next_run_at,
    last_error: held.last_error,
    last_error_at: held.last_error_at,
    tag: held.tag,
    ctx: held.ctx,
    started_at: held.started_at,
    leased_until: held.leased_until,
    finished_at: held.finished_at,
    created_at: held.created_at,
    updated_at: held.updated_at,
  };
}
