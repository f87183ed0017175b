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
  reader: (given) => {
    const names = given.map(({ name }) => name);
    const types = given.map(({ kind }) => (kind === undefined ? undefined : kinds[kind]));
    return (row) => {
      const result: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) {
        const raw = row[index];
        const read = raw === null ? raw : types[index]?.read(raw);
        result[names[index] as string] = read === undefined || read === mismatch ? raw : read;
      }
      return result;
    };
  },
};
