import type { RowType } from "./column-type.ts";
import type { Column, Dialect, DialectName, Prepared } from "./contract.ts";
import { encode } from "./encode.ts";
import { errors } from "./errors.ts";
import { prepare } from "./prepared.ts";

/** Where the text and the values of a statement are put together, for one dialect. */
export interface Writer {
  readonly dialect: Dialect;
  readonly text: (text: string) => void;
  readonly value: (value: unknown) => void;
}

/**
 * A piece of a statement that is no template: names, lists, what dialects spell differently. Made by the functions of
 * `sql`, never from input.
 */
export class Fragment {
  /** Whether it always writes the same text and no value, so that texts that hold it can be kept. */
  readonly isFixed: boolean;
  readonly #write: (writer: Writer) => void;

  constructor(write: (writer: Writer) => void, options?: { isFixed?: boolean }) {
    this.#write = write;
    this.isFixed = options?.isFixed ?? false;
  }

  write(writer: Writer): void {
    this.#write(writer);
  }
}

/** What is kept per template: the texts that were built of it. */
interface Template {
  readonly strings: readonly string[];
  readonly variants: Variant[];
}

/** A text, for the dialect and the parts that it was built with. */
interface Variant {
  readonly dialect: DialectName;
  readonly parts: Parts;
  readonly prepared: Prepared;
}

/** Per value what stands there: a fragment, a statement's template and its own parts, or `undefined` for a bound value. */
type Parts = readonly (Fragment | { readonly template: Template; readonly parts: Parts } | undefined)[];

const templates = new WeakMap<TemplateStringsArray, Template>();

// A template whose parts differ at each call is built at each call: to remember all of them would only cost.
const maxVariants = 8;

const readers = new WeakMap<readonly Column[], WeakMap<object, unknown>>();

/**
 * A statement, or a part of one: text from code, values apart from it. The type parameter is that of its rows.
 *
 * Immutable, and bound to no connection: it can be kept and run many times.
 */
export class Statement<T> {
  /** How its rows are read. */
  readonly row: RowType<T>;
  readonly #template: Template;
  readonly #values: readonly unknown[];

  constructor(strings: TemplateStringsArray, values: readonly unknown[], row: RowType<T>) {
    let template = templates.get(strings);
    if (template === undefined) {
      template = { strings, variants: [] };
      templates.set(strings, template);
    }
    this.row = row;
    this.#template = template;
    this.#values = values;
  }

  /** The text that stands in the code, in pieces: without its values and the parts that were put into it. */
  get strings(): readonly string[] {
    return this.#template.strings;
  }

  /** The function that reads rows with these columns, made once per row type and columns. */
  reader(columns: readonly Column[]): (row: readonly unknown[]) => T {
    let known = readers.get(columns);
    if (known === undefined) readers.set(columns, (known = new WeakMap()));
    let reader = known.get(this.row) as ((row: readonly unknown[]) => T) | undefined;
    if (reader === undefined) known.set(this.row, (reader = this.row.reader(columns)));
    return reader;
  }

  /** Writes text and values, as the whole or as a part of a larger statement. */
  write(writer: Writer): void {
    const { strings } = this.#template;
    writer.text(strings[0] as string);
    for (const [index, value] of this.#values.entries()) {
      if (value instanceof Statement || value instanceof Fragment) value.write(writer);
      else writer.value(this.#defined(index));
      writer.text(strings[index + 1] as string);
    }
  }

  /**
   * The text for a dialect, built at the first call and found again at each other, and the values as they are bound.
   *
   * @throws E_SQL_UNDEFINED, E_SQL_VALUE, E_SQL_TEXT for values that cannot be bound, E_SQL_TOO_MANY_VALUES.
   */
  compile(dialect: Dialect): readonly [Prepared, readonly unknown[]] {
    const known = this.#findVariant(dialect.name);
    if (known !== undefined) {
      const bound: unknown[] = [];
      this.#bind(dialect, bound);
      return [known, bound];
    }
    const [text, bound] = build(this, dialect);
    const prepared = prepare(text, dialect.name);
    const { variants } = this.#template;
    if (variants.length < maxVariants && this.#isStable()) {
      variants.push({ dialect: dialect.name, parts: this.#parts(), prepared });
    }
    return [prepared, bound];
  }

  #findVariant(dialect: DialectName): Prepared | undefined {
    for (const variant of this.#template.variants) {
      if (variant.dialect === dialect && this.#matches(variant.parts)) return variant.prepared;
    }
    return undefined;
  }

  #matches(parts: Parts): boolean {
    const values = this.#values;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      const part = parts[index];
      if (value instanceof Statement) {
        if (part === undefined || part instanceof Fragment) return false;
        if (part.template !== value.#template || !value.#matches(part.parts)) return false;
      } else if ((value instanceof Fragment ? value : undefined) !== part) return false;
    }
    return true;
  }

  #parts(): Parts {
    return this.#values.map((value) => {
      if (value instanceof Statement) return { template: value.#template, parts: value.#parts() };
      return value instanceof Fragment ? value : undefined;
    });
  }

  /** Whether the text is known by its parts alone. */
  #isStable(): boolean {
    return this.#values.every((value) =>
      value instanceof Statement ? value.#isStable() : !(value instanceof Fragment) || value.isFixed,
    );
  }

  #bind(dialect: Dialect, bound: unknown[]): void {
    for (let index = 0; index < this.#values.length; index++) {
      const value = this.#values[index];
      if (value instanceof Statement) value.#bind(dialect, bound);
      else if (!(value instanceof Fragment)) bound.push(encode(this.#defined(index), dialect));
    }
  }

  #defined(index: number): unknown {
    const value = this.#values[index];
    if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, (this.#template.strings[index] ?? "").slice(-40));
    return value;
  }
}

/** Puts a statement together: its text, and its values as they are bound. */
function build(statement: Statement<unknown>, dialect: Dialect): [text: string, values: unknown[]] {
  let text = "";
  const values: unknown[] = [];
  statement.write({
    dialect,
    text: (part) => void (text += part),
    value: (value) => void (text += dialect.placeholder(values.push(encode(value, dialect)))),
  });
  if (values.length > dialect.maxValues) throw errors.E_SQL_TOO_MANY_VALUES(values.length, dialect.maxValues);
  return [text, values];
}
