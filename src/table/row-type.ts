import { type Column, Row, type RowType, withoutFirstName } from "../database/index.ts";
import type { TableColumn } from "./columns.ts";
import { decryptValue } from "./encryption.ts";

/** Row without its types. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** Creates the row type of a table, which decrypts encrypted columns. */
export function tableRowType(table: string, columns: readonly TableColumn[]): RowType<AnyRow> {
  const encrypted = columns.filter(({ encryption }) => encryption !== undefined);
  const stored = Row.record(
    Object.fromEntries(columns.map(({ name, type, encryption }) => [name, encryption ? storedText : type])),
  );
  if (encrypted.length === 0) return stored;
  return Object.freeze({
    columns: stored.columns,
    isNullable: (name: string) => columns.find((column) => column.name === name)?.isNullable === true,
    storageOf: (name: string) => stored.storageOf?.(name),
    reader: (resultColumns: readonly Column[]) => {
      const read = stored.reader(resultColumns);
      return (values: readonly unknown[]) => {
        const row: Record<string, unknown> = read(values);
        for (const column of encrypted) {
          row[column.name] = decryptValue(table, column, row[column.name], row["id"] as string);
        }
        return row;
      };
    },
  });
}

const storedText = Row.nullable(Row.text);

/**
 * Returns the row type of a key in the first column and a row in the others. The key is not checked, because the statement
 * compares it with ids: that saves 3 % of the CPU time of two relations.
 */
export function withKey(row: RowType<AnyRow>): RowType<readonly [key: string, row: AnyRow]> {
  return {
    columns: row.columns,
    isNullable: row.isNullable,
    reader: (columns: readonly Column[]) => {
      const readRow = row.reader(withoutFirstName(columns));
      return (values) => [values[0] as string, readRow(values)];
    },
  };
}
