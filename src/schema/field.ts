import { error, ok, type Result } from "../core/index.ts";
import { fieldParts, type JsonParts, type JsonSchema } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/**
 * One field of a record: how its value is read from a form or from JSON, and how it is put back into a form.
 *
 * A field of your own is an object of this type; `Schema.field` makes one.
 */
export interface Field<T> {
  /** What it is, in one word: `string`, `bool`, `int`. Generators and documentation go by it. */
  readonly kind: string;
  /** Whether what was typed is never put back into a form: passwords. */
  readonly isSensitive: boolean;
  /** The value of what was typed, or what is wrong with it. `undefined` means that it was not sent. */
  readonly decode: (input: string | undefined, messages: Messages) => Result<T>;
  /** The value of what stood in a JSON body. `undefined` means that it was not sent. */
  readonly decodeJson: (input: unknown, messages: Messages) => Result<T>;
  /** The value as a form shows it; `undefined` when there is nothing to show. */
  readonly encode: (value: T) => string | undefined;
  /** What it is in JSON, for documents such as OpenAPI. */
  readonly jsonSchema: JsonParts;
}

/** A field of any type. */
export interface AnyField {
  readonly kind: string;
  readonly isSensitive: boolean;
  readonly decode: (input: string | undefined, messages: Messages) => Result<unknown>;
  readonly decodeJson: (input: unknown, messages: Messages) => Result<unknown>;
  readonly encode: (value: never) => string | undefined;
  readonly jsonSchema: JsonParts;
}

/** What every field can be given. */
export interface FieldOptions<T> {
  /** Judges a value that could be read: gives what is wrong with it, or `undefined`. */
  readonly validate?: (value: T) => string | undefined;
  /**
   * The value when the field is not sent, of all but texts also when it is empty, and what a new form shows. Default: that is
   * an error. A box that is not checked is sent by no form, so there a `bool` is false all the same.
   */
  readonly default?: T;
  /** Never puts what was typed back into a form. Default `false`. */
  readonly sensitive?: boolean;
  /** What it is, for who reads a document of the interface. Default: nothing is said. */
  readonly description?: string;
}

/** What `Schema.field` is given. */
export interface FieldDefinition<T> {
  readonly kind: string;
  /** Reads what was typed, which is not empty unless `takesEmpty`. */
  readonly decode: (input: string, messages: Messages) => Result<T>;
  /** Reads what stood in a JSON body: neither `undefined` nor `null`. */
  readonly decodeJson: (input: unknown, messages: Messages) => Result<T>;
  /** What may stand in a JSON body. Default: anything. */
  readonly jsonSchema?: JsonSchema;
  /** What JSON makes of the value. Default: the same as may be sent. */
  readonly jsonOutput?: JsonSchema;
  /** The value as a form shows it. Default `String`. */
  readonly encode?: (value: T) => string;
  /** Whether an empty text is a value, instead of a field that was not filled in. Default `false`. */
  readonly takesEmpty?: boolean;
  /** What a form means that does not send the field, whatever its default is. Default: nothing, so the default counts. */
  readonly whenAbsent?: T;
}

/** Makes a field. */
export function field<T>(definition: FieldDefinition<T>, options: FieldOptions<T> = {}): Field<T> {
  const { takesEmpty = false, encode = String, jsonSchema = {}, jsonOutput = jsonSchema } = definition;
  const fallback = definition.whenAbsent === undefined ? options.default : definition.whenAbsent;

  const validated = (result: Result<T>): Result<T> => {
    const problem = result.ok ? options.validate?.(result.value) : undefined;
    return problem === undefined ? result : error(problem);
  };
  const absent = (value: T | undefined, messages: Messages): Result<T> =>
    value === undefined ? error(messages.missing) : validated(ok(value));

  return Object.freeze({
    kind: definition.kind,
    isSensitive: options.sensitive ?? false,
    decode: (input: string | undefined, messages: Messages) =>
      input === undefined || (input === "" && !takesEmpty)
        ? absent(fallback, messages)
        : validated(definition.decode(input, messages)),
    decodeJson: (input: unknown, messages: Messages) =>
      input === undefined || input === null
        ? absent(input === undefined ? options.default : undefined, messages)
        : validated(definition.decodeJson(input, messages)),
    encode,
    jsonSchema: fieldParts(jsonSchema, jsonOutput, options),
  });
}
