import type { Schema } from "../../schema/index.ts";
import type { CompleteQuery } from "../query.ts";

/** A page of a list as JSON. */
export interface JsonList {
  readonly data: readonly unknown[];
  /** How many items match on all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** The JSON of a page of a list. */
export function listOf<T>(
  [items, total]: readonly [readonly T[], number],
  { limit, offset }: CompleteQuery,
  presentItem: (item: T) => unknown,
): JsonList {
  return { data: items.map((item) => presentItem(item)), total, limit, offset };
}

/** What of an item is shown: its identity and times, and the fields of the schema but for the sensitive ones. */
export function present<Input>(schema: Schema.RecordSchema<Input>): (item: object) => unknown {
  const open = schema.fields.filter((name) => schema.field(name)?.isSensitive !== true);
  const names = new Set(["id", ...open, "created_at", "updated_at"]);
  return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
