import type { Field, FieldType } from "./field.ts";
import { toName } from "./name.ts";
import { stringLiteral } from "./print.ts";

/** TypeScript and SQL code of a field type. */
interface TypeCode {
  /** Field of the schema. */
  readonly schema: (field: Field) => string;
  /** Column of the row type. */
  readonly row: (field: Field) => string;
  /** Column type of the migration: the name to destructure, and the expression. */
  readonly column: readonly [name: string, expression: string];
  /** Two different values for tests, as TypeScript. */
  readonly samples: (field: Field) => readonly [first: string, second: string];
  /** Form value that validation refuses, as TypeScript. */
  readonly invalid: string;
  /** SQL value for existing rows when a migration adds the column; `undefined` if the type has no neutral value. */
  readonly existingRowsValue: string | undefined;
}

const always = (code: string) => (): string => code;
const textSample = (field: Field, text: string): string =>
  field.isUnique ? "`" + text + " ${Random.hex(8)}`" : stringLiteral(text);
const sample = (field: Field, fixed: string, random: string): string => (field.isUnique ? random : fixed);

const texts = (kind: "string" | "text"): Pick<TypeCode, "schema" | "row" | "samples"> => ({
  schema: (field) => (field.isOptional ? `Schema.${kind}()` : `Schema.${kind}({ min: 1 })`),
  row: always("Row.text"),
  samples: (field) => [textSample(field, `First ${field.label.toLowerCase()}`), stringLiteral(`Second ${field.name}`)],
});

const types: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...texts("string"), column: ["string", "string()"], invalid: `"x".repeat(256)`, existingRowsValue: "''" },
  text: { ...texts("text"), column: ["text", "text"], invalid: `"x".repeat(65_536)`, existingRowsValue: "''" },
  int: {
    schema: always("Schema.int()"),
    row: always("Row.int"),
    column: ["int", "int"],
    samples: (field) => [sample(field, "7", "Random.int(100, 1_000_000_000)"), "42"],
    invalid: stringLiteral("many"),
    existingRowsValue: "0",
  },
  float: {
    schema: always("Schema.float()"),
    row: always("Row.float"),
    column: ["float", "float"],
    samples: (field) => [sample(field, "0.5", "Random.int(100, 1_000_000_000) / 4"), "2.25"],
    invalid: stringLiteral("much"),
    existingRowsValue: "0",
  },
  decimal: {
    schema: always("Schema.decimal()"),
    row: always("Row.decimal"),
    column: ["decimal", "decimal(12, 2)"],
    samples: (field) => [sample(field, '"12.50"', "`${Random.int(100, 1_000_000_000)}.50`"), '"99.90"'],
    invalid: stringLiteral("1.234"),
    existingRowsValue: "0",
  },
  bool: {
    schema: always("Schema.bool()"),
    row: always("Row.bool"),
    column: ["bool", "bool"],
    samples: () => ["true", "false"],
    invalid: stringLiteral("perhaps"),
    existingRowsValue: "false",
  },
  date: {
    schema: always("Schema.date()"),
    row: always("Row.date"),
    column: ["date", "date"],
    samples: (field) => [
      sample(field, '"2026-01-31"', "`${Random.int(1000, 9999)}-0${Random.int(1, 9)}-${Random.int(10, 28)}`"),
      '"2028-02-29"',
    ],
    invalid: stringLiteral("2027-02-29"),
    existingRowsValue: undefined,
  },
  datetime: {
    schema: always("Schema.datetime()"),
    row: always("Row.timestamp"),
    column: ["timestamp", "timestamp"],
    samples: (field) => [
      sample(field, 'new Date("2026-01-31T12:30:00Z")', "new Date(Random.int(1, 1_000_000_000_000))"),
      'new Date("2028-02-29T23:59:00Z")',
    ],
    invalid: stringLiteral("2027-02-29T12:00"),
    existingRowsValue: undefined,
  },
  uuid: {
    schema: always("Schema.uuid()"),
    row: always("Row.uuid"),
    column: ["uuid", "uuid"],
    samples: (field) => [
      sample(field, '"9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01"', "Random.uuid()"),
      '"1b4e28ba-2fa1-41d2-883f-0016d3cca427"',
    ],
    invalid: stringLiteral("none"),
    existingRowsValue: undefined,
  },
  json: {
    schema: always("Schema.json()"),
    row: always("Row.json()"),
    column: ["json", "json"],
    samples: () => ['{ tags: ["first"] }', '{ tags: ["second"] }'],
    invalid: stringLiteral("{"),
    existingRowsValue: undefined,
  },
  enum: {
    schema: (field) => `Schema.oneOf(${choicesConstant(field)})`,
    row: (field) => `Row.oneOf(...${choicesConstant(field)})`,
    column: ["string", "string(40)"],
    samples: ({ choices }) => [stringLiteral(choices[0] ?? ""), stringLiteral(choices[1] ?? "")],
    invalid: stringLiteral("none of these"),
    existingRowsValue: undefined,
  },
  reference: {
    schema: always("Schema.uuid()"),
    row: always("Row.uuid"),
    column: ["uuid", "uuid"],
    samples: ({ target }) => {
      const newId = `(await ${target?.singular.pascal}Factory.make()).id`;
      return [newId, newId];
    },
    invalid: stringLiteral("none"),
    existingRowsValue: undefined,
  },
};

/** Returns the name of the constant that lists the choices of an enum. */
export const choicesConstant = ({ name }: Field): string => `${toName(name).camel}Choices`;

/** TypeScript and SQL code of one field. */
export interface FieldCode {
  readonly schema: string;
  readonly row: string;
  /** Returns the expression that a statement binds, given the expression of the value. */
  readonly bind: (value: string) => string;
  /** Column definition in `create table`. */
  readonly column: string;
  /** Column type to destructure in the migration. */
  readonly columnType: string;
  readonly sample: string;
  readonly otherSample: string;
  readonly invalid: string;
}

/** Returns the code of a field. */
export function fieldCode(field: Field): FieldCode {
  const { schema, row, column, samples, invalid } = types[field.type];
  const [firstSample, otherSample] = samples(field);
  return {
    schema: field.isOptional ? `Schema.optional(${schema(field)})` : schema(field),
    row: field.isOptional ? `Row.optional(${row(field)})` : row(field),
    bind: (value) => bind(field, value),
    column: columnOf(field, column[1]),
    columnType: column[0],
    sample: firstSample,
    otherSample,
    invalid,
  };
}

/** Returns the SQL value that existing rows get when a migration adds the field, or `undefined`. */
export const existingRowsValue = ({ type, choices }: Field): string | undefined =>
  type === "enum" ? `'${choices[0]}'` : types[type].existingRowsValue;

function bind({ type, isOptional }: Field, value: string): string {
  if (type === "json") return isOptional ? `${value} === undefined ? null : sql.json(${value})` : `sql.json(${value})`;
  return isOptional ? `${value} ?? null` : value;
}

function columnOf({ name, isOptional, isUnique, target }: Field, type: string): string {
  const constraints = [
    isOptional ? "" : " not null",
    isUnique ? " unique" : "",
    target === undefined ? "" : ` references ${target.plural.snake} (id)`,
  ];
  return `${name} \${${type}}${constraints.join("")}`;
}
