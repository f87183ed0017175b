import { type RowType, sql, type SqlPart, Statement } from "../database/index.ts";
import { columnFragment } from "./search/sort-order.ts";

/** Cache of templates by shape. Each table has its own. */
export type Templates = Map<string, TemplateStringsArray>;

// Conditions of the application vary the shape. Templates beyond this number are compiled at each call.
const maxTemplates = 200;

/** Returns the strings of a template that is built at run time. */
export const makeTemplate = (strings: readonly string[]): TemplateStringsArray =>
  Object.assign([...strings], { raw: strings });

/** Returns the template of a key, made once. */
export function cachedTemplate(templates: Templates, key: string, make: () => readonly string[]): TemplateStringsArray {
  let template = templates.get(key);
  if (template === undefined) {
    template = makeTemplate(make());
    if (templates.size < maxTemplates) templates.set(key, template);
  }
  return template;
}

/** Builds a statement piece by piece. Statements of equal shape share a template, and with it their compiled text. */
export class StatementBuilder {
  readonly #templates: Templates;
  readonly #strings: string[] = [""];
  readonly #values: unknown[] = [];
  #shape = "";

  constructor({ templates }: { readonly templates: Templates }) {
    this.#templates = templates;
  }

  /** Appends SQL text. It must come from code. */
  text(text: string): this {
    this.#strings[this.#strings.length - 1] += text;
    return this;
  }

  /** Appends a quoted name. It must come from code. */
  name(name: string): this {
    return this.#append(columnFragment(name), name);
  }

  /** Appends quoted names, separated by commas. */
  names(names: readonly string[]): this {
    return this.list(names, ", ", (name) => this.name(name));
  }

  /** Appends a bound value. */
  value(value: unknown): this {
    return this.#append(value, "?");
  }

  /** Appends `name = value` for each entry, separated by commas. */
  assignments(entries: Iterable<readonly [name: string, value: unknown]>): this {
    return this.list(entries, ", ", ([name, value]) => this.name(name).text(" = ").value(value));
  }

  /** Appends each item by a function, with a separator between them. */
  list<T>(items: Iterable<T>, separator: string, append: (item: T) => unknown): this {
    let isFirst = true;
    for (const item of items) {
      if (!isFirst) this.text(separator);
      isFirst = false;
      append(item);
    }
    return this;
  }

  /** Appends a statement or a fragment. */
  part(part: SqlPart): this {
    return this.#append(part, "#");
  }

  build<T>(rowType: RowType<T>): Statement<T> {
    const key = `${this.#shape}\n${this.#strings.join("\n")}`;
    return new Statement(
      cachedTemplate(this.#templates, key, () => this.#strings),
      this.#values,
      rowType,
    );
  }

  #append(value: unknown, shape: string): this {
    this.#shape += `${shape} `;
    this.#values.push(value);
    this.#strings.push("");
    return this;
  }
}

/** Returns the beginning of a statement that reads the rows of a table: `select columns from t`. */
export const selectRows = (
  templates: { readonly templates: Templates },
  { name, row }: { readonly name: string; readonly row: RowType<unknown> },
): StatementBuilder => new StatementBuilder(templates).text("select ").part(sql.columns(row)).text(" from ").name(name);
