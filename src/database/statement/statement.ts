import type { Column, Dialect, DialectName, PreparedStatement } from "../contract.ts";
import { errors } from "../errors.ts";
import type { RowType } from "../row/column-type.ts";
import { encodeValue } from "./encode.ts";

/** Receiver of a statement's text and values while it is compiled for one dialect. */
export interface StatementWriter {
  readonly dialect: Dialect;
  readonly appendText: (text: string) => void;
  readonly appendValue: (value: unknown) => void;
}

/**
 * Part of a statement that is not a template: an identifier, a list, or SQL that differs between dialects. Created by the
 * functions of `sql`, never from input.
 */
export class Fragment {
  /** True if the fragment always writes the same text and no value, so that a text that contains it can be cached. */
  readonly isConstant: boolean;
  /** SQL of each dialect, if the fragment is nothing but a choice between them. */
  readonly parts: DialectParts | undefined;
  readonly #write: (writer: StatementWriter) => void;

  constructor(write: (writer: StatementWriter) => void, options?: { isConstant?: boolean; parts?: DialectParts }) {
    this.#write = write;
    this.isConstant = options?.isConstant ?? false;
    this.parts = options?.parts;
  }

  write(writer: StatementWriter): void {
    this.#write(writer);
  }
}

/** SQL for each dialect. */
export type DialectParts = Readonly<Record<DialectName, SqlPart>>;

/** Returns the value of a template for a dialect: the chosen part of `sql.dialect`, so that texts with it are cached. */
function valueFor(value: unknown, dialect: DialectName): unknown {
  let chosen = value;
  while (chosen instanceof Fragment && chosen.parts !== undefined) chosen = chosen.parts[dialect];
  return chosen;
}

/** Strings of a template, with the texts that were compiled from it. */
interface Template {
  readonly strings: readonly string[];
  readonly variants: Variant[];
  /** Number of named texts. */
  nameCount: number;
}

/** Text that was compiled for one dialect and one shape. */
interface Variant {
  readonly dialect: DialectName;
  readonly shape: Shape;
  readonly prepared: PreparedStatement;
}

/**
 * Entry per value of a template: a fragment, the template and shape of a statement, "boolean" for a bound boolean, whose
 * placeholder has a type on PostgreSQL, or `undefined` for another bound value.
 */
type Shape = readonly (Fragment | { readonly template: Template; readonly shape: Shape } | "boolean" | undefined)[];

const shapeOfValue = (value: unknown): Fragment | "boolean" | undefined =>
  value instanceof Fragment ? value : typeof value === "boolean" ? "boolean" : undefined;

const templates = new WeakMap<TemplateStringsArray, Template>();

// A template whose shape differs at each call is compiled at each call; caching all variants would only cost memory.
const maxVariants = 8;

/** Values derived from a row type or column type. */
interface TypeCache {
  readonly readers: WeakMap<readonly Column[], unknown>;
  readonly columnLists: Map<string, Fragment>;
  tag?: unknown;
}

const typeCaches = new WeakMap<object, TypeCache>();

/** Returns the cache of a row type or column type. */
export function typeCacheOf(type: object): TypeCache {
  let cache = typeCaches.get(type);
  if (cache === undefined) typeCaches.set(type, (cache = { readers: new WeakMap(), columnLists: new Map() }));
  return cache;
}

/** SQL that another statement can contain: a statement, or a fragment such as `sql.in(…)`. */
export type SqlPart = Statement<unknown> | Fragment;

/**
 * SQL statement or part of one, with the text from code and the values apart from it. The type parameter is the type of
 * its rows.
 *
 * Immutable and independent of a connection: it can be stored and run many times.
 */
export class Statement<T> {
  /** Row type that reads the rows. */
  readonly rowType: RowType<T>;
  readonly #template: Template;
  readonly #values: readonly unknown[];

  constructor(strings: TemplateStringsArray, values: readonly unknown[], rowType: RowType<T>) {
    let template = templates.get(strings);
    if (template === undefined) {
      template = { strings, variants: [], nameCount: 0 };
      templates.set(strings, template);
    }
    this.rowType = rowType;
    this.#template = template;
    this.#values = values;
  }

  /** Strings of the template, without values, fragments and inner statements. */
  get strings(): readonly string[] {
    return this.#template.strings;
  }

  /** Returns the function that reads rows with these columns, created once per row type and columns. */
  reader(columns: readonly Column[]): (row: readonly unknown[]) => T {
    const { readers } = typeCacheOf(this.rowType);
    let reader = readers.get(columns) as ((row: readonly unknown[]) => T) | undefined;
    if (reader === undefined) readers.set(columns, (reader = this.rowType.reader(columns)));
    return reader;
  }

  /** Writes text and values, as a whole or as part of a larger statement. */
  write(writer: StatementWriter): void {
    const { strings } = this.#template;
    writer.appendText(strings[0] as string);
    for (const [index, value] of this.#values.entries()) {
      if (value instanceof Statement || value instanceof Fragment) value.write(writer);
      else writer.appendValue(this.#definedValue(index));
      writer.appendText(strings[index + 1] as string);
    }
  }

  /**
   * Returns the text for a dialect, compiled once and then cached, and the encoded values.
   *
   * @throws E_SQL_UNDEFINED, E_SQL_VALUE, E_SQL_TEXT for values that cannot be bound, E_SQL_TOO_MANY_VALUES.
   */
  compile(dialect: Dialect): readonly [PreparedStatement, readonly unknown[]] {
    const cached = this.#findVariant(dialect.name);
    if (cached !== undefined) {
      const bound: unknown[] = [];
      this.#bind(dialect, bound);
      return [cached, bound];
    }
    const [text, bound] = compileText(this, dialect);
    const prepared = prepareStatement(text, dialect.name, this.#template);
    const { variants } = this.#template;
    if (variants.length < maxVariants && this.#isCacheable(dialect.name)) {
      variants.push({ dialect: dialect.name, shape: this.#shape(dialect.name), prepared });
    }
    return [prepared, bound];
  }

  #findVariant(dialect: DialectName): PreparedStatement | undefined {
    for (const variant of this.#template.variants) {
      if (variant.dialect === dialect && this.#hasShape(variant.shape, dialect)) return variant.prepared;
    }
    return undefined;
  }

  #hasShape(shape: Shape, dialect: DialectName): boolean {
    const values = this.#values;
    for (let index = 0; index < values.length; index++) {
      const value = valueFor(values[index], dialect);
      const entry = shape[index];
      if (value instanceof Statement) {
        if (typeof entry !== "object" || entry instanceof Fragment) return false;
        if (entry.template !== value.#template || !value.#hasShape(entry.shape, dialect)) return false;
      } else if (shapeOfValue(value) !== entry && (value !== null || entry !== "boolean")) return false;
    }
    return true;
  }

  #shape(dialect: DialectName): Shape {
    return this.#values.map((raw) => {
      const value = valueFor(raw, dialect);
      if (value instanceof Statement) return { template: value.#template, shape: value.#shape(dialect) };
      return shapeOfValue(value);
    });
  }

  /** Returns true if the shape alone determines the text. */
  #isCacheable(dialect: DialectName): boolean {
    return this.#values.every((raw) => {
      const value = valueFor(raw, dialect);
      if (value instanceof Statement) return value.#isCacheable(dialect);
      return !(value instanceof Fragment) || value.isConstant;
    });
  }

  #bind(dialect: Dialect, bound: unknown[]): void {
    for (let index = 0; index < this.#values.length; index++) {
      const value = valueFor(this.#values[index], dialect.name);
      if (value instanceof Statement) value.#bind(dialect, bound);
      else if (!(value instanceof Fragment)) bound.push(encodeValue(this.#definedValue(index), dialect));
    }
  }

  #definedValue(index: number): unknown {
    const value = this.#values[index];
    if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, (this.#template.strings[index] ?? "").slice(-40));
    return value;
  }
}

function compileText(statement: Statement<unknown>, dialect: Dialect): [text: string, values: unknown[]] {
  let text = "";
  const values: unknown[] = [];
  statement.write({
    dialect,
    appendText: (part) => void (text += part),
    appendValue: (value) => {
      const encoded = encodeValue(value, dialect);
      text += dialect.placeholder(values.push(encoded), encoded);
    },
  });
  if (values.length > dialect.maxParameters) throw errors.E_SQL_TOO_MANY_VALUES(values.length, dialect.maxParameters);
  return [text, values];
}

// Servers keep named statements until the connection ends. An application with more texts than this builds them from its
// data, so further texts are sent unnamed.
const maxNamedStatements = 500;

// A client that combines the filters and sort columns of a list must not use up the names of all other statements.
const maxNamesPerTemplate = 24;

const statementsByDialect: Readonly<Record<DialectName, Map<string, PreparedStatement>>> = {
  sqlite: new Map(),
  postgresql: new Map(),
  mariadb: new Map(),
};

/**
 * Returns the prepared statement of a text. It is named and cached until there are too many named statements, or too many of
 * its template. Throws E_SQL_TRANSACTION.
 */
export function prepareStatement(text: string, dialect: DialectName, template?: Template): PreparedStatement {
  const statements = statementsByDialect[dialect];
  const cached = statements.get(text);
  if (cached !== undefined) return cached;
  refuseTransactionControl(text);
  const isNamed = statements.size < maxNamedStatements && (template?.nameCount ?? 0) < maxNamesPerTemplate;
  if (isNamed && template !== undefined) template.nameCount++;
  const prepared = Object.freeze({
    text,
    name: isNamed ? `limmat_${statements.size + 1}` : undefined,
    isReadOnly: isReadOnlyText(text),
  });
  if (isNamed) statements.set(text, prepared);
  return prepared;
}

/** Returns the pattern of statements that begin with one of some words, behind blanks and comments. */
export const statementPattern = (words: string): RegExp =>
  new RegExp(String.raw`^(?:[\s;]|(?:--|#).*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*(?:${words})\b`, "i");

// In MariaDB, `begin not atomic` is a block.
const controlPattern = statementPattern(
  String.raw`begin(?!\s+not\b)|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction|xa|set\b.*\bautocommit`,
);

/** Throws E_SQL_TRANSACTION for a statement that begins or ends a transaction: others on its connection would not notice. */
export function refuseTransactionControl(text: string): void {
  const problem = "A statement must not begin or end a transaction, as `transaction` and a migration do";
  if (controlPattern.test(text)) throw errors.E_SQL_TRANSACTION(problem, text);
}

const readingStart = /^\s*(?:select|with|values)\b/i;
const writingWord = /\b(?:insert|update|delete|merge|replace|into|lock|share|nextval|setval)\b/i;

/** Returns true if a text certainly only reads. A word such as "delete" anywhere makes it false. */
export function isReadOnlyText(text: string): boolean {
  return readingStart.test(text) && !writingWord.test(text);
}
