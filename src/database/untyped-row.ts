import { type ColumnType, mismatch, type RowType } from "./column-type.ts";
import type { ColumnKind } from "./contract.ts";
import { bool, decimal, json, timestamp, uuid } from "./row.ts";

/** A row of a statement without a row type: plain records, values as the database's own types tell them. */
export type UntypedRow = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<NonNullable<ColumnKind>, ColumnType<unknown>>> = {
  boolean: bool,
  timestamp,
  json: json(),
  uuid,
  decimal,
};

/** How rows are read when the statement names no row type. */
export const untyped: RowType<UntypedRow> = {
  columns: [],
  isNullable: () => true,
  reader: (given) => (row) => {
    const result: Record<string, unknown> = {};
    for (const [index, { name, kind }] of given.entries()) {
      const raw = row[index];
      const read = kind === undefined || raw === null ? raw : kinds[kind].read(raw);
      result[name] = read === mismatch ? raw : read;
    }
    return result;
  },
};
