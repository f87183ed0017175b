import type { PgResult } from "./client.ts";
import { type Query, type QueryInit, RowDecoder } from "./fast-query.ts";
import { columnParser } from "./column-types.ts";

/** Query that uses only the documented interface of `pg`. Fallback for versions with other internals. */
export class PlainQuery implements Query {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: readonly unknown[];
  readonly rowMode = "array";
  readonly types: { readonly getTypeParser: typeof columnParser } = { getTypeParser: columnParser };
  decoder: RowDecoder | undefined;
  resultRows: readonly (readonly unknown[])[] = [];
  commandTag = "";

  constructor({ text, name, values = [], decoder }: QueryInit) {
    this.text = text;
    this.name = name;
    this.values = values;
    this.decoder = decoder;
  }

  acceptResult({ fields, rows, command, rowCount }: PgResult): void {
    if (fields.length > 0 && this.decoder?.matches(fields) !== true) this.decoder = new RowDecoder(fields);
    this.resultRows = rows;
    this.commandTag = rowCount === null ? command : `${command} ${rowCount}`;
  }
}
