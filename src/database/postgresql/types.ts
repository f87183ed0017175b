import type { ColumnKind } from "../contract.ts";

// Numbers of types: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === "t", // bool
  17: (text) => Uint8Array.from(Buffer.from(text.slice(2), "hex")), // bytea, as \x…
  20: parseLarge, // int8
  21: Number, // int2
  23: Number, // int4
  26: Number, // oid
  700: Number, // float4
  701: Number, // float8
};

const kinds: Readonly<Record<number, ColumnKind>> = {
  16: "boolean",
  114: "json",
  1114: "timestamp",
  1184: "timestamp",
  1700: "decimal",
  2950: "uuid",
  3802: "json",
};

const asText = (text: string): string => text;

/** The function that reads a type's text; other types stay text. */
export function parserOf(oid: number): (text: string) => unknown {
  return parsers[oid] ?? asText;
}

/** What is known of a type beyond its JavaScript value. */
export function kindOf(oid: number): ColumnKind {
  return kinds[oid];
}

function parseLarge(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
