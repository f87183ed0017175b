import type { Dialect, Prepared } from "../contract.ts";
import { encode } from "../encode.ts";
import { errors } from "../errors.ts";
import { prepare } from "../prepared.ts";
import { Statement } from "../statement.ts";
import { untyped, type UntypedRow } from "../untyped-row.ts";

const noTemplate: TemplateStringsArray = Object.assign([""], { raw: [""] });

/** A statement whose text was put together elsewhere, with the placeholders of its dialect. */
export class CompiledStatement extends Statement<UntypedRow> {
  readonly #text: string;
  readonly #given: readonly unknown[];

  constructor(text: string, values: readonly unknown[]) {
    super(noTemplate, [], untyped);
    this.#text = text;
    this.#given = values;
  }

  override compile(dialect: Dialect): readonly [Prepared, readonly unknown[]] {
    const { length } = this.#given;
    if (length > dialect.maxValues) throw errors.E_SQL_TOO_MANY_VALUES(length, dialect.maxValues);
    const values = this.#given.map((value, index) => {
      if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, this.#text.slice(-40));
      return encode(value, dialect);
    });
    return [prepare(this.#text, dialect.name), values];
  }
}
