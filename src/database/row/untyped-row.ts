import type { ColumnKind } from "../contract.ts";
import { type ColumnType, mismatch, type RowType } from "./column-type.ts";
import { bool, decimal, json, timestamp, uuid } from "./row.ts";

/** Row of a statement without a row type: a plain record with values converted by the column types of the database. */
export type UntypedRow = Readonly<Record<string, unknown>>;

const typesByKind: Readonly<Record<NonNullable<ColumnKind>, ColumnType<unknown>>> = {
  boolean: bool,
  timestamp,
  json: json(),
  uuid,
  decimal,
};

/** Row type of statements that name none. */
export const untypedRow: RowType<UntypedRow> = {
  columns: [],
  isNullable: () => true,
  reader: (columns) => {
    const names = columns.map(({ name }) => name);
    const types = columns.map(({ kind }) => (kind === undefined ? undefined : typesByKind[kind]));
    return (row) => {
      const record: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) {
        const raw = row[index];
        const value = raw === null ? raw : types[index]?.read(raw);
        record[names[index] as string] = value === undefined || value === mismatch ? raw : value;
      }
      return record;
    };
  },
};
