import type { Column, ColumnKind } from "../contract.ts";

/** Column of a result. */
export interface PgField {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Columns and parsers of a statement's rows. Created once per statement and reused for later results. */
export class RowDecoder {
  readonly columns: readonly Column[];
  readonly #types: readonly number[];
  readonly #parsers: readonly ((text: string) => unknown)[];

  constructor(fields: readonly PgField[]) {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, kind: columnKinds[dataTypeID] }));
    this.#types = fields.map(({ dataTypeID }) => dataTypeID);
    this.#parsers = this.#types.map(columnParser);
  }

  /** Returns true if the fields have the same names and types as the columns. */
  matches(fields: readonly PgField[]): boolean {
    if (fields.length !== this.columns.length) return false;
    return fields.every(
      ({ name, dataTypeID }, index) => name === this.columns[index]?.name && dataTypeID === this.#types[index],
    );
  }

  /** Parses the texts of a row in place. */
  decode(texts: unknown[]): readonly unknown[] {
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] as string | null;
      if (text !== null) texts[index] = (this.#parsers[index] as (text: string) => unknown)(text);
    }
    return texts;
  }
}

/** Decoder of a result without columns. */
export const emptyDecoder: RowDecoder = new RowDecoder([]);

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

function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
