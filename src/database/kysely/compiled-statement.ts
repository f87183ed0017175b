import type { Dialect, PreparedStatement } from "../contract.ts";
import { encodeValue } from "../statement/encode.ts";
import { errors } from "../errors.ts";
import { prepareStatement } from "../statement/prepared-statement.ts";
import { Statement } from "../statement/statement.ts";
import { untypedRow, type UntypedRow } from "../row/untyped-row.ts";

const noTemplate: TemplateStringsArray = Object.assign([""], { raw: [""] });

/** Statement compiled by Kysely, with the placeholders of its dialect. */
export class CompiledStatement extends Statement<UntypedRow> {
  readonly #text: string;
  readonly #values: readonly unknown[];

  constructor(text: string, values: readonly unknown[]) {
    super(noTemplate, [], untypedRow);
    this.#text = text;
    this.#values = values;
  }

  override compile(dialect: Dialect): readonly [PreparedStatement, readonly unknown[]] {
    const { length } = this.#values;
    if (length > dialect.maxParameters) throw errors.E_SQL_TOO_MANY_VALUES(length, dialect.maxParameters);
    const values = this.#values.map((value, index) => {
      if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, this.#text.slice(-40));
      return encodeValue(value, dialect);
    });
    return [prepareStatement(this.#text, dialect.name), values];
  }
}
