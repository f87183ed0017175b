import { Schema } from "../schema/index.ts";
import { type Field, type FieldType, isUser } from "./field.ts";
import { type ModelName, toName } from "./name.ts";
import { stringLiteral } from "./print.ts";

/** TypeScript and SQL code of a field type. */
interface TypeCode {
  /** Field of the schema. */
  readonly schema: (field: Field) => string;
  /** Field of the schema, for the description of the table. */
  readonly member: (field: Field) => Schema.Member;
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

const texts = (kind: "string" | "text"): Pick<TypeCode, "schema" | "member" | "samples"> => ({
  schema: (field) => (field.isOptional ? `Schema.${kind}()` : `Schema.${kind}({ min: 1, trim: true })`),
  member: () => (kind === "string" ? Schema.string() : Schema.text()),
  samples: (field) => [textSample(field, `First ${field.label.toLowerCase()}`), stringLiteral(`Second ${field.name}`)],
});

const types: Readonly<Record<FieldType, TypeCode>> = {
  string: { ...texts("string"), invalid: `"x".repeat(256)`, existingRowsValue: "''" },
  text: { ...texts("text"), invalid: `"x".repeat(65_536)`, existingRowsValue: "''" },
  int: {
    schema: always("Schema.int()"),
    member: () => Schema.int(),
    samples: (field) => [sample(field, "7", "Random.int(100, 1_000_000_000)"), "42"],
    invalid: stringLiteral("many"),
    existingRowsValue: "0",
  },
  float: {
    schema: always("Schema.float()"),
    member: () => Schema.float(),
    samples: (field) => [sample(field, "0.5", "Random.int(100, 1_000_000_000) / 4"), "2.25"],
    invalid: stringLiteral("much"),
    existingRowsValue: "0",
  },
  decimal: {
    schema: always("Schema.decimal()"),
    member: () => Schema.decimal(),
    samples: (field) => [sample(field, '"12.50"', "`${Random.int(100, 1_000_000_000)}.50`"), '"99.90"'],
    invalid: stringLiteral("1.234"),
    existingRowsValue: "0",
  },
  bool: {
    schema: always("Schema.bool()"),
    member: () => Schema.bool(),
    samples: () => ["true", "false"],
    invalid: stringLiteral("perhaps"),
    existingRowsValue: "false",
  },
  date: {
    schema: always("Schema.date()"),
    member: () => Schema.date(),
    samples: (field) => [
      sample(field, '"2026-01-31"', "`${Random.int(1000, 9999)}-0${Random.int(1, 9)}-${Random.int(10, 28)}`"),
      '"2028-02-29"',
    ],
    invalid: stringLiteral("2027-02-29"),
    existingRowsValue: undefined,
  },
  datetime: {
    schema: always("Schema.datetime()"),
    member: () => Schema.datetime(),
    samples: (field) => [
      sample(field, 'new Date("2026-01-31T12:30:00Z")', "new Date(Random.int(1, 1_000_000_000_000))"),
      'new Date("2028-02-29T23:59:00Z")',
    ],
    invalid: stringLiteral("2027-02-29T12:00"),
    existingRowsValue: undefined,
  },
  uuid: {
    schema: always("Schema.uuid()"),
    member: () => Schema.uuid(),
    samples: (field) => [
      sample(field, '"9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01"', "Random.uuid()"),
      '"1b4e28ba-2fa1-41d2-883f-0016d3cca427"',
    ],
    invalid: stringLiteral("none"),
    existingRowsValue: undefined,
  },
  json: {
    schema: always("Schema.json()"),
    member: () => Schema.json(),
    samples: () => ['{ tags: ["first"] }', '{ tags: ["second"] }'],
    invalid: stringLiteral("{"),
    existingRowsValue: undefined,
  },
  oneOf: {
    schema: (field) => `Schema.oneOf(${choicesConstant(field)})`,
    member: ({ choices }) => Schema.oneOf(choices),
    samples: ({ choices }) => [stringLiteral(choices[0] ?? ""), stringLiteral(choices[1] ?? "")],
    invalid: stringLiteral("none of these"),
    existingRowsValue: undefined,
  },
  belongsTo: {
    schema: always("Schema.uuid()"),
    member: () => Schema.uuid(),
    samples: ({ target }) => [newId(target), newId(target)],
    invalid: stringLiteral("none"),
    existingRowsValue: undefined,
  },
  manyToMany: {
    schema: always("Schema.list(Schema.uuid(), { max: 100 })"),
    member: () => Schema.list(Schema.uuid()),
    samples: ({ target }) => [`[${newId(target)}]`, `[${newId(target)}]`],
    invalid: stringLiteral("none"),
    existingRowsValue: undefined,
  },
};

/** Returns the expression of the id of a new row of a model, in a test. */
const newId = (target: ModelName | undefined): string =>
  target === undefined || isUser(target) ? "await newUserId()" : `(await ${target.singular.pascal}Factory.make()).id`;

/** Returns the name of the constant that lists the choices of a `oneOf`. */
export const choicesConstant = ({ name }: Field): string => `${toName(name).camel}Choices`;

/** TypeScript and SQL code of one field. */
export interface FieldCode {
  readonly schema: string;
  readonly sample: string;
  readonly otherSample: string;
  readonly invalid: string;
}

/** Returns the code of a field. */
export function fieldCode(field: Field): FieldCode {
  const { schema, samples, invalid } = types[field.type];
  const [sampleValue, otherSample] = samples(field);
  return {
    schema: field.isOptional ? `Schema.optional(${schema(field)})` : schema(field),
    sample: sampleValue,
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
