import { error, ok, type Result } from "../core/index.ts";
import { fieldJsonSchemas, type JsonSchema, type JsonSchemaPair } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/**
 * Field of a record: decodes its value from a form or from JSON, and encodes it for a form.
 *
 * A custom field is an object of this type. `Schema.field` makes one.
 */
export interface Field<T> {
  /** Kind of the field in one word: `string`, `bool`, `int`. Generators and documentation use it. */
  readonly kind: string;
  /** True if a form never shows the input again, as for passwords. */
  readonly isSensitive: boolean;
  /** Decodes the text of a form field. `undefined` means that it was not sent. */
  readonly decode: (input: string | undefined, messages: Messages) => Result<T>;
  /** Decodes a value of a JSON body. `undefined` means that it was not sent. */
  readonly decodeJson: (input: unknown, messages: Messages) => Result<T>;
  /** Encodes a value as the text that a form shows, or `undefined` if there is none. */
  readonly encode: (value: T, messages?: Messages) => string | undefined;
  /** JSON Schemas of the field, for documents such as OpenAPI. */
  readonly jsonSchema: JsonSchemaPair;
  /** Digits and bounds of a decimal, which its JSON Schema cannot express exactly. Tables enforce them too. */
  readonly decimal?: DecimalRange | undefined;
}

/** Digits and bounds of a decimal. */
export interface DecimalRange {
  /** Maximum number of digits, including the fraction. */
  readonly precision: number;
  /** Number of digits of the fraction. */
  readonly scale: number;
  /** Minimum value; `undefined` for none. */
  readonly min: string | undefined;
  /** Maximum value; `undefined` for none. */
  readonly max: string | undefined;
}

/** Field of any type. */
export interface AnyField extends Omit<Field<unknown>, "encode"> {
  readonly encode: (value: never, messages?: Messages) => string | undefined;
}

/** Options of every field. */
export interface FieldOptions<T> {
  /** Validates a decoded value. Returns an error message, or `undefined` if the value is valid. */
  readonly validate?: (value: T) => string | undefined;
  /**
   * Value of a field that was not sent, or that is empty (except for texts). New forms show it. Without it, such a field
   * is an error. A `bool` that a form does not send is always false, because browsers do not send an unchecked box.
   */
  readonly default?: T;
  /** True if a form never shows the input again, as for passwords. Default `false`. */
  readonly sensitive?: boolean;
  /** Description in the JSON Schema, for readers of the API documentation. Default: none. */
  readonly description?: string;
}

/** Definition of a field for `Schema.field`. */
export interface FieldDefinition<T> {
  readonly kind: string;
  /** Decodes the text of a form field. It is not empty unless `acceptsEmpty` is true. */
  readonly decode: (input: string, messages: Messages) => Result<T>;
  /** Decodes a value of a JSON body, which is neither `undefined` nor `null`. */
  readonly decodeJson: (input: unknown, messages: Messages) => Result<T>;
  /** JSON Schema of the input. Default: any value. */
  readonly jsonSchema?: JsonSchema;
  /** JSON Schema of the encoded value. Default: the schema of the input. */
  readonly jsonOutput?: JsonSchema;
  /** Encodes a value as the text that a form shows. Default `String`. */
  readonly encode?: (value: T, messages?: Messages) => string;
  /** True if an empty text is a value. Otherwise it means that the field was not filled in. Default `false`. */
  readonly acceptsEmpty?: boolean;
  /** Value if a form does not send the field. It takes precedence over the default. Default: the default of the field. */
  readonly absentFormValue?: T;
  readonly decimal?: DecimalRange;
}

/** Makes a field from its definition. */
export function field<T>(definition: FieldDefinition<T>, options: FieldOptions<T> = {}): Field<T> {
  const { acceptsEmpty = false, encode = String, jsonSchema = {}, jsonOutput = jsonSchema } = definition;
  const formDefault = definition.absentFormValue === undefined ? options.default : definition.absentFormValue;

  const validate = (result: Result<T>): Result<T> => {
    const problem = result.ok ? options.validate?.(result.value) : undefined;
    return problem === undefined ? result : error(problem);
  };
  const useDefault = (value: T | undefined, messages: Messages): Result<T> =>
    value === undefined ? error(messages.missing) : validate(ok(value));

  return Object.freeze({
    kind: definition.kind,
    isSensitive: options.sensitive ?? false,
    decode: (input: string | undefined, messages: Messages) =>
      input === undefined || (input === "" && !acceptsEmpty)
        ? useDefault(formDefault, messages)
        : validate(definition.decode(input, messages)),
    decodeJson: (input: unknown, messages: Messages) =>
      input === undefined || input === null
        ? useDefault(input === undefined ? options.default : undefined, messages)
        : validate(definition.decodeJson(input, messages)),
    encode,
    jsonSchema: fieldJsonSchemas(jsonSchema, jsonOutput, options),
    decimal: definition.decimal,
  });
}
