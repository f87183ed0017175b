import type { Context } from "../../../core/index.ts";
import { type Fragment, Row, type RowType, sql } from "../../../database/index.ts";
import type { Instance } from "../contract.ts";
import { instanceOf } from "../instance.ts";
import { type Claimed, type LogFields, priorities } from "../store.ts";

/** An instance as the table holds it. */
export interface InstanceRow extends Omit<Instance, "priority" | "ctx"> {
  /** 0 is the most urgent. */
  readonly priority: number;
  /** JSON. */
  readonly ctx: string;
}

/** The same with what a worker needs beside. */
export interface ClaimedRow extends InstanceRow {
  readonly position: bigint;
  /** JSON. */
  readonly log_fields: string;
  readonly lease: string | undefined;
}

const columns = {
  id: Row.uuid,
  name: Row.text,
  input: Row.text,
  status: Row.oneOf("pending", "running", "succeeded", "failed", "cancelled"),
  priority: Row.int,
  tries: Row.int,
  max_tries: Row.int,
  next_run_at: Row.timestamp,
  last_error: Row.optional(Row.text),
  last_error_at: Row.optional(Row.timestamp),
  tag: Row.optional(Row.text),
  ctx: Row.text,
  started_at: Row.optional(Row.timestamp),
  leased_until: Row.optional(Row.timestamp),
  finished_at: Row.optional(Row.timestamp),
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
};
const workerColumns = { position: Row.bigint, log_fields: Row.text, lease: Row.optional(Row.uuid) };

/** The row of an instance. */
export const instanceRow: RowType<InstanceRow> = Row.record(columns);

/** The row of an instance that a worker takes. */
export const claimedRow: RowType<ClaimedRow> = Row.record({ ...columns, ...workerColumns });

/** The columns of an instance. */
export const instanceColumns: Fragment = sql.columns(instanceRow);

/** The columns of an instance that a worker takes. */
export const claimedColumns: Fragment = sql.columns(claimedRow);

/** The instance of a row. */
export function instanceOfRow(row: InstanceRow): Instance {
  return instanceOf({ ...row, priority: priorities[row.priority] ?? "normal", ctx: JSON.parse(row.ctx) as Context });
}

/** The instance of a row, with what its worker needs beside. */
export function claimedOf(row: ClaimedRow): Claimed {
  return { instance: instanceOfRow(row), lease: row.lease ?? "", log_fields: JSON.parse(row.log_fields) as LogFields };
}
