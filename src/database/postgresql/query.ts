import type { Column } from "../contract.ts";
import type { PgField, PgQueryClass, PgResult, PgWire } from "./client.ts";
import { kindOf, parserOf } from "./types.ts";

/** What the rows of a statement look like, and how their texts are read. Made once, kept for the next answers. */
export class Shape {
  readonly columns: readonly Column[];
  readonly #types: readonly number[];
  readonly #parsers: readonly ((text: string) => unknown)[];

  constructor(fields: readonly PgField[]) {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, kind: kindOf(dataTypeID) }));
    this.#types = fields.map(({ dataTypeID }) => dataTypeID);
    this.#parsers = this.#types.map(parserOf);
  }

  /** Whether an answer with these fields is of this shape. */
  fits(fields: readonly PgField[]): boolean {
    if (fields.length !== this.columns.length) return false;
    return fields.every(
      ({ name, dataTypeID }, index) => name === this.columns[index]?.name && dataTypeID === this.#types[index],
    );
  }

  /** The values of a row, in place of its texts. */
  read(texts: unknown[]): readonly unknown[] {
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] as string | null;
      if (text !== null) texts[index] = (this.#parsers[index] as (text: string) => unknown)(text);
    }
    return texts;
  }
}

const noColumns = new Shape([]);

/** A statement to be sent. */
export interface QueryInit {
  readonly text: string;
  /** Under which the server keeps it; without it, it is planned for this one time. */
  readonly name?: string | undefined;
  readonly values?: readonly unknown[];
  /** The shape that its last answer on this connection had. */
  readonly shape?: Shape | undefined;
}

/** A statement for `client.query`, and its answer, once that has called back. */
export interface Query {
  readonly shape: Shape | undefined;
  /** Its rows. (`rows` is, for `pg`, how many are wanted.) */
  readonly found: readonly (readonly unknown[])[];
  /** What was done: `INSERT 0 1`. */
  readonly tag: string;
  /** Takes what `pg` made of the answer, where it is `pg` that reads it. */
  take?(result: PgResult): void;
}

/** A class of statements. */
export type QueryClass = new (init: QueryInit) => Query;

/**
 * Makes the class of our statements from that of the package `pg`, which copies every statement it is given, asks the
 * server for the columns of every answer and prepares the reading of rows each time: a fifth of the time of a short
 * statement.
 */
export function makeQueryClass(Base: PgQueryClass): QueryClass {
  return class extends Base implements Query {
    shape: Shape | undefined;
    readonly found: (readonly unknown[])[] = [];
    tag = "";

    constructor({ text, name, values = [], shape }: QueryInit) {
      super(text);
      this.name = name;
      this.values = values;
      this.queryMode = "extended";
      this.shape = shape;
    }

    override prepare(connection: PgWire): void {
      const { name, values, shape } = this;
      // The server refuses to run a named statement whose columns are no longer what they were.
      if (shape === undefined || name === undefined || connection.parsedStatements[name] === undefined) {
        super.prepare(connection);
        return;
      }
      connection.bind({ statement: name, values, valueMapper: wireValue });
      connection.execute();
      connection.sync();
    }

    override handleRowDescription({ fields }: { readonly fields: readonly PgField[] }): void {
      if (this.shape?.fits(fields) !== true) this.shape = new Shape(fields);
    }

    override handleDataRow({ fields }: { readonly fields: unknown[] }): void {
      this.found.push((this.shape as Shape).read(fields));
    }

    override handleCommandComplete({ text }: { readonly text: string }): void {
      this.shape ??= noColumns;
      this.tag = text;
    }
  };
}

/** A value as `bind` writes it: text, bytes or nothing. */
function wireValue(value: string | number | bigint | boolean | Uint8Array | null): string | Buffer | null {
  if (typeof value === "string" || value === null) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}
