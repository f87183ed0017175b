import { Schema } from "../schema/index.ts";
import { type Field, type FieldType, isUser } from "./field.ts";
import { type ModelName, toName } from "./name.ts";
import { arrayCode, printCode, stringLiteral } from "./print.ts";

/** TypeScript and SQL code of a field type. */
interface TypeCode {
  /** Field of the schema. Default: the call without arguments of the function that makes it. */
  readonly schema?: (field: Field) => string;
  /** Field of the schema, for the description of the table. */
  readonly member: (field: Field) => Schema.Member;
  /** Two different values for tests, as TypeScript. */
  readonly samples: (field: Field) => readonly [first: string, second: string];
  /** Form value that validation refuses, as TypeScript. */
  readonly invalid: string;
  /** SQL value for existing rows when a migration adds the column. Default: the type has no neutral value. */
  readonly existingRowsValue?: string;
}

/** Returns two samples. A unique field has a random first one. */
const samples =
  (first: string, random: string, second: string): TypeCode["samples"] =>
  ({ isUnique }) => [isUnique ? random : first, second];

const textCode = (kind: "string" | "text", maxLength: string): TypeCode => ({
  schema: ({ isOptional }) => `Schema.${kind}(${isOptional ? "" : "{ min: 1, trim: true }"})`,
  member: () => Schema[kind](),
  samples: ({ isUnique, label, name }) => {
    const first = `First ${label.toLowerCase()}`;
    return [isUnique ? `\`${first} \${Random.hex(8)}\`` : stringLiteral(first), stringLiteral(`Second ${name}`)];
  },
  invalid: `"x".repeat(${maxLength})`,
  existingRowsValue: "''",
});

const types: Readonly<Record<FieldType, TypeCode>> = {
  string: textCode("string", "256"),
  text: textCode("text", "65_536"),
  int: {
    member: () => Schema.int(),
    samples: samples("7", "Random.int(100, 1_000_000_000)", "42"),
    invalid: stringLiteral("many"),
    existingRowsValue: "0",
  },
  float: {
    member: () => Schema.float(),
    samples: samples("0.5", "Random.int(100, 1_000_000_000) / 4", "2.25"),
    invalid: stringLiteral("much"),
    existingRowsValue: "0",
  },
  decimal: {
    member: () => Schema.decimal(),
    samples: samples('"12.50"', "`${Random.int(100, 1_000_000_000)}.50`", '"99.90"'),
    invalid: stringLiteral("1.234"),
    existingRowsValue: "0",
  },
  bool: {
    member: () => Schema.bool(),
    samples: () => ["true", "false"],
    invalid: stringLiteral("perhaps"),
    existingRowsValue: "false",
  },
  date: {
    member: () => Schema.date(),
    samples: samples(
      '"2026-01-31"',
      "`${Random.int(1000, 9999)}-0${Random.int(1, 9)}-${Random.int(10, 28)}`",
      '"2028-02-29"',
    ),
    invalid: stringLiteral("2027-02-29"),
  },
  datetime: {
    member: () => Schema.datetime(),
    samples: samples(
      'new Date("2026-01-31T12:30:00Z")',
      "new Date(Random.int(1, 1_000_000_000_000))",
      'new Date("2028-02-29T23:59:00Z")',
    ),
    invalid: stringLiteral("2027-02-29T12:00"),
  },
  uuid: {
    member: () => Schema.uuid(),
    samples: samples(
      '"9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01"',
      "Random.uuid()",
      '"1b4e28ba-2fa1-41d2-883f-0016d3cca427"',
    ),
    invalid: stringLiteral("none"),
  },
  json: {
    member: () => Schema.json(),
    samples: () => ['{ tags: ["first"] }', '{ tags: ["second"] }'],
    invalid: stringLiteral("{"),
  },
  oneOf: {
    schema: (field) => `Schema.oneOf(${choicesConstant(field)})`,
    member: ({ choices }) => Schema.oneOf(choices),
    samples: ({ choices: [first = "", second = ""] }) => [stringLiteral(first), stringLiteral(second)],
    invalid: stringLiteral("none of these"),
  },
  belongsTo: {
    schema: () => "Schema.uuid()",
    member: () => Schema.uuid(),
    samples: ({ target }) => [newId(target), newId(target)],
    invalid: stringLiteral("none"),
  },
  manyToMany: {
    schema: () => "Schema.list(Schema.uuid(), { max: 100 })",
    member: () => Schema.list(Schema.uuid()),
    samples: ({ target }) => [`[${newId(target)}]`, `[${newId(target)}]`],
    invalid: stringLiteral("none"),
  },
};

/** Returns the expression of the id of a new row of a model, in a test. */
const newId = (target: ModelName | undefined): string =>
  target === undefined || isUser(target) ? "await newUserId()" : `(await ${target.singular.pascal}Factory.make()).id`;

/** Returns the name of the constant that lists the choices of a `oneOf`. */
export const choicesConstant = ({ name }: Field): string => `${toName(name).camel}Choices`;

/** Returns the constants that list the choices of the `oneOf` among fields. */
export const choicesText = (fields: readonly Field[], keyword: "const" | "export const"): string =>
  fields
    .filter(({ type }) => type === "oneOf")
    .map((field) => arrayCode(field.choices.map(stringLiteral), `${keyword} ${choicesConstant(field)} = `))
    .map((values) => `${printCode(values, 0, " as const;")}\n`)
    .join("");

/** TypeScript and SQL code of one field. */
export interface FieldCode {
  readonly schema: string;
  readonly sample: string;
  readonly otherSample: string;
  readonly invalid: string;
}

/** Returns the code of a field. */
export function fieldCode(field: Field): FieldCode {
  const { schema = ({ type }) => `Schema.${type}()`, invalid, ...code }: TypeCode = types[field.type];
  const [sample, otherSample] = code.samples(field);
  return {
    schema: field.isOptional ? `Schema.optional(${schema(field)})` : schema(field),
    sample,
    otherSample,
    invalid,
  };
}

/** Returns the field of the schema, for the description of the table. */
export function schemaMember(field: Field): Schema.Member {
  const member = types[field.type].member(field);
  return field.isOptional ? Schema.optional(member as Schema.Field<unknown>) : member;
}

/** Returns the SQL value that existing rows get when a migration adds the field, or `undefined`. */
export const existingRowsValue = ({ type, choices }: Field): string | undefined =>
  type === "oneOf" ? `'${choices[0]}'` : types[type].existingRowsValue;
