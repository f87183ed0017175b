import type { ColumnKind } from "../contract.ts";

// Type OIDs: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const columnParsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === "t", // bool
  17: (text) => Uint8Array.from(Buffer.from(text.slice(2), "hex")), // bytea, as \x…
  20: parseInt8, // int8
  21: Number, // int2
  23: Number, // int4
  26: Number, // oid
  700: Number, // float4
  701: Number, // float8
};

const columnKinds: Readonly<Record<number, ColumnKind>> = {
  16: "boolean",
  114: "json",
  1114: "timestamp",
  1184: "timestamp",
  1700: "decimal",
  2950: "uuid",
  3802: "json",
};

const identity = (text: string): string => text;

/** Returns the parser of a type's text format. Other types stay text. */
export function columnParser(oid: number): (text: string) => unknown {
  return columnParsers[oid] ?? identity;
}

/** Returns the column kind of a type, or `undefined`. */
export function columnKindOf(oid: number): ColumnKind {
  return columnKinds[oid];
}

function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
