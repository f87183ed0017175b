import type { PgResult } from "./client.ts";
import { type Query, type QueryInit, Shape } from "./query.ts";
import { parserOf } from "./types.ts";

/** A statement in the form that `pg` documents, for versions of it in which ours cannot be a class of its own. */
export class PlainQuery implements Query {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: readonly unknown[];
  readonly rowMode = "array";
  readonly types: { readonly getTypeParser: typeof parserOf } = { getTypeParser: parserOf };
  shape: Shape | undefined;
  found: readonly (readonly unknown[])[] = [];
  tag = "";

  constructor({ text, name, values = [], shape }: QueryInit) {
    this.text = text;
    this.name = name;
    this.values = values;
    this.shape = shape;
  }

  take({ fields, rows, command, rowCount }: PgResult): void {
    if (fields.length > 0 && this.shape?.fits(fields) !== true) this.shape = new Shape(fields);
    this.found = rows;
    this.tag = rowCount === null ? command : `${command} ${rowCount}`;
  }
}
