import type { JobRecord } from "../../contract.ts";
import type { NewJob } from "../contract.ts";

/** Job as the memory store holds it. */
export interface MemoryJob extends JobRecord, NewJob {
  readonly lease_id: string | undefined;
  /** Sequence number: orders jobs that are due at the same time. */
  readonly position: number;
}

/** Fields of a job without a lease. */
export const unleased: Pick<MemoryJob, "lease_id" | "leased_until"> = { lease_id: undefined, leased_until: undefined };

/** Initial fields of a new job. */
export const initialFields: Omit<MemoryJob, keyof NewJob | "updated_at" | "position"> = {
  ...unleased,
  status: "pending",
  attempts: 0,
  last_error: undefined,
  last_error_at: undefined,
  started_at: undefined,
  finished_at: undefined,
};
