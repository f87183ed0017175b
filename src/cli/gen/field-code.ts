import type { Field, FieldType } from "./field.ts";
import { spell } from "./name.ts";
import { literal } from "./print.ts";

/** How a type of field is spelled in the files of a model. */
interface TypeCode {
  /** The field of the schema. */
  readonly schema: (field: Field) => string;
  /** The column of the row type. */
  readonly row: (field: Field) => string;
  /** The names of the column types that its column in the migration needs, and how it is spelled with them. */
  readonly column: readonly [name: string, text: string];
  /** Two different values for tests, as TypeScript, and what a form sends for the second. */
  readonly samples: (field: Field) => readonly [first: string, second: string, typed: string];
  /** What a form or a query may send that is refused. */
  readonly invalid: string;
  /** The value that the column gets in rows that are there already when it is added; `undefined` when there is none. */
  readonly fallback: string | undefined;
}

const simple = (text: string) => (): string => text;
const unique = (field: Field, text: string): string =>
  field.isUnique ? "`" + text + " ${Random.hex(8)}`" : literal(text);
const uniqueNumber = (field: Field, text: string, code: string): string => (field.isUnique ? code : text);

const texts = (kind: "string" | "text"): Pick<TypeCode, "schema" | "row" | "samples"> => ({
  schema: (field) => (field.isOptional ? `Schema.${kind}()` : `Schema.${kind}({ min: 1 })`),
  row: simple("Row.text"),
  samples: (field) => [
    unique(field, `First ${field.label.toLowerCase()}`),
    literal(`Second ${field.name}`),
    `Second ${field.name}`,
  ],
});

const types: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...texts("string"), column: ["string", "string()"], invalid: `"x".repeat(256)`, fallback: "''" },
  text: { ...texts("text"), column: ["text", "text"], invalid: `"x".repeat(65_536)`, fallback: "''" },
  int: {
    schema: simple("Schema.int()"),
    row: simple("Row.int"),
    column: ["int", "int"],
    samples: (field) => [uniqueNumber(field, "7", "Random.int(100, 1_000_000_000)"), "42", "42"],
    invalid: literal("many"),
    fallback: "0",
  },
  float: {
    schema: simple("Schema.float()"),
    row: simple("Row.float"),
    column: ["float", "float"],
    samples: (field) => [uniqueNumber(field, "0.5", "Random.int(100, 1_000_000_000) / 4"), "2.25", "2.25"],
    invalid: literal("much"),
    fallback: "0",
  },
  decimal: {
    schema: simple("Schema.decimal()"),
    row: simple("Row.decimal"),
    column: ["decimal", "decimal(12, 2)"],
    samples: (field) => [uniqueNumber(field, '"12.50"', "`${Random.int(100, 1_000_000_000)}.50`"), '"99.90"', "99.90"],
    invalid: literal("1.234"),
    fallback: "0",
  },
  bool: {
    schema: simple("Schema.bool()"),
    row: simple("Row.bool"),
    column: ["bool", "bool"],
    samples: () => ["true", "false", "false"],
    invalid: literal("perhaps"),
    fallback: "false",
  },
  date: {
    schema: simple("Schema.date()"),
    row: simple("Row.date"),
    column: ["date", "date"],
    samples: (field) => [
      uniqueNumber(field, '"2026-01-31"', "`${Random.int(1000, 9999)}-0${Random.int(1, 9)}-${Random.int(10, 28)}`"),
      '"2028-02-29"',
      "2028-02-29",
    ],
    invalid: literal("2027-02-29"),
    fallback: undefined,
  },
  datetime: {
    schema: simple("Schema.datetime()"),
    row: simple("Row.timestamp"),
    column: ["timestamp", "timestamp"],
    samples: (field) => [
      uniqueNumber(field, 'new Date("2026-01-31T12:30:00Z")', "new Date(Random.int(1, 1_000_000_000_000))"),
      'new Date("2028-02-29T23:59:00Z")',
      "2028-02-29T23:59",
    ],
    invalid: literal("2027-02-29T12:00"),
    fallback: undefined,
  },
  uuid: {
    schema: simple("Schema.uuid()"),
    row: simple("Row.uuid"),
    column: ["uuid", "uuid"],
    samples: (field) => [
      uniqueNumber(field, '"9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01"', "Random.uuid()"),
      '"1b4e28ba-2fa1-41d2-883f-0016d3cca427"',
      "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
    ],
    invalid: literal("none"),
    fallback: undefined,
  },
  json: {
    schema: simple("Schema.json()"),
    row: simple("Row.json()"),
    column: ["json", "json"],
    samples: () => ['{ tags: ["first"] }', '{ tags: ["second"] }', '{"tags":["second"]}'],
    invalid: literal("{"),
    fallback: undefined,
  },
  enum: {
    schema: (field) => `Schema.oneOf(${choicesOf(field)})`,
    row: (field) => `Row.oneOf(...${choicesOf(field)})`,
    column: ["string", "string(40)"],
    samples: ({ choices }) => [literal(choices[0] ?? ""), literal(choices[1] ?? ""), choices[1] ?? ""],
    invalid: literal("none of these"),
    fallback: undefined,
  },
  reference: {
    schema: simple("Schema.uuid()"),
    row: simple("Row.uuid"),
    column: ["uuid", "uuid"],
    samples: ({ target }) => {
      const made = `(await ${target?.one.pascal}Factory.make()).id`;
      return [made, made, ""];
    },
    invalid: literal("none"),
    fallback: undefined,
  },
};

/** The name of the constant that lists the words of an enum. */
export const choicesOf = ({ name }: Field): string => `${spell(name).camel}Choices`;

/** The code of one field. */
export interface FieldCode {
  readonly schema: string;
  readonly row: string;
  /** What is bound for the column, given the value's name. */
  readonly bind: (value: string) => string;
  /** The column in `create table`. */
  readonly column: string;
  /** The name of the column type that the column needs. */
  readonly columnType: string;
  readonly sample: string;
  readonly otherSample: string;
  /** What a form sends for the other sample. */
  readonly typed: string;
  readonly invalid: string;
}

/** Spells a field. */
export function codeOf(field: Field): FieldCode {
  const { schema, row, column, samples, invalid } = types[field.type];
  const [sample, otherSample, typed] = samples(field);
  return {
    schema: field.isOptional ? `Schema.optional(${schema(field)})` : schema(field),
    row: field.isOptional ? `Row.optional(${row(field)})` : row(field),
    bind: (value) => bind(field, value),
    column: columnOf(field, column[1]),
    columnType: column[0],
    sample,
    otherSample,
    typed,
    invalid,
  };
}

/** The value of a field in rows that are there already, as SQL. */
export const fallbackOf = ({ type, choices }: Field): string | undefined =>
  type === "enum" ? `'${choices[0]}'` : types[type].fallback;

function bind({ type, isOptional }: Field, value: string): string {
  if (type === "json") return isOptional ? `${value} === undefined ? null : sql.json(${value})` : `sql.json(${value})`;
  return isOptional ? `${value} ?? null` : value;
}

function columnOf({ name, isOptional, isUnique, target }: Field, type: string): string {
  const rules = [
    isOptional ? "" : " not null",
    isUnique ? " unique" : "",
    target === undefined ? "" : ` references ${target.many.snake} (id)`,
  ];
  return `${name} \${${type}}${rules.join("")}`;
}
