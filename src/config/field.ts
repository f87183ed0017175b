import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type ConfigurationField, type Environment, error, ok, type Result, validateNow } from "../core/index.ts";
import { TimeInternals } from "../time/index.ts";
import { SecretText } from "./secret-text.ts";

/** Options of every field. */
export interface FieldOptions<T> {
  /** Purpose of the value, in a few words, without a full stop. */
  readonly description: string;
  /** Environments in which the application does not start without the key. `true` means all. */
  readonly required?: true | readonly Environment[];
  /** Value when the key is not set, or a function that returns it for an environment. */
  readonly default?: T | ((environment: Environment) => T | undefined);
  /** Returns the problem of a value as a continuation of the key ("must start with a slash"), or `undefined`. */
  readonly validate?: (value: T) => string | undefined;
}

/** Options of an integer field. */
export interface IntOptions extends FieldOptions<number> {
  /** Smallest allowed value. */
  readonly min?: number;
  /** Largest allowed value. */
  readonly max?: number;
}

/** Type of a field's value. Excludes `undefined` when the field is always required or always has a default. */
export type FieldValue<T, Options> = Options extends { readonly required: true }
  ? T
  : Options extends { readonly default: infer Default }
    ? undefined extends (Default extends (...environment: never[]) => infer Returned ? Returned : Default)
      ? T | undefined
      : T
    : T | undefined;

/** Creates a field for a text, which is used unchanged. */
export function string<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<string, Options>> {
  return createField<string, Options>(key, "string", options, parseString);
}

/** Creates a field for an http or https URL without query, fragment and user. Code can append a path. */
export function url<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<string, Options>> {
  return createField<string, Options>(key, "URL", options, parseUrl);
}

/**
 * Creates a field for a secret text, such as a password or a key. Its value prints as `•••`, and `reveal` returns the text.
 * Its default is not shown either.
 */
export function secret<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<SecretText, Options>> {
  const field: ConfigurationField<string | undefined> = createField<string, Options>(
    key,
    "secret",
    options,
    parseString,
  );
  const secretField: ConfigurationField<SecretText | undefined> = {
    ...field,
    default: (environment) => {
      const text = field.default(environment);
      return text === undefined ? undefined : new SecretText(text);
    },
    parse: (text) => {
      const parsed = field.parse(text);
      return parsed.ok ? ok(new SecretText(text)) : parsed;
    },
  };
  return Object.freeze(secretField) as ConfigurationField<FieldValue<SecretText, Options>>;
}

/** Creates a field for a boolean: exactly `true`, `false`, `1` or `0`. */
export function bool<const Options extends FieldOptions<boolean>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<boolean, Options>> {
  return createField<boolean, Options>(key, "true or false", options, parseBool);
}

/** Creates a field for a whole number in decimal digits, within limits. */
export function int<const Options extends IntOptions>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<number, Options>> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const limits = [
    ...(options.min === undefined ? [] : [`from ${min}`]),
    ...(options.max === undefined ? [] : [`to ${max}`]),
  ];
  const type = ["whole number", ...limits].join(" ");
  return createField<number, Options>(key, type, options, (text) => {
    const parsed = parseInt(text);
    return parsed.ok && parsed.value >= min && parsed.value <= max ? parsed : error(`must be a ${type}, in digits`);
  });
}

/** Creates a field for exactly one of the texts in `values`. */
export function oneOf<const Value extends string, const Options extends FieldOptions<NoInfer<Value>>>(
  key: string,
  options: Options & { readonly values: readonly Value[] },
): ConfigurationField<FieldValue<Value, Options>> {
  const type = `one of ${options.values.join(", ")}`;
  return createField<Value, Options>(key, type, options, (text) => {
    const value = options.values.find((candidate) => candidate === text);
    return value === undefined ? error(`must be ${type}`) : ok(value);
  });
}

/** Creates a field for a duration such as `5m` or `1h30m` (see `TimeInternals.parseDuration`). The value is in milliseconds. */
export function duration<const Options extends FieldOptions<number>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<number, Options>> {
  return createField<number, Options>(key, "duration", options, parseDuration);
}

/** Options of a field that a schema converts. */
export interface SchemaOptions<T> extends FieldOptions<T> {
  /** Synchronous schema of any library that follows Standard Schema. It gets the text. */
  readonly schema: StandardSchemaV1<unknown, T>;
  /** Type of the value, as a continuation of "must be": `ports, separated by commas`. */
  readonly type: string;
}

/**
 * Creates a field whose text a schema converts, of any library that follows Standard Schema (https://standardschema.dev).
 * Messages of the schema, and errors that it throws, are not shown, as they may repeat the text.
 */
export function schema<T, const Options extends SchemaOptions<T>>(
  key: string,
  options: Options & SchemaOptions<T>,
): ConfigurationField<FieldValue<T, Options>> {
  const { type, schema: standardSchema } = options;
  return createField<T, Options>(key, type, options, (text) => {
    try {
      const result = validateNow(standardSchema, text);
      if (result === undefined) return error("has a schema that is asynchronous");
      return result.issues === undefined ? ok(result.value) : error(`must be ${type}`);
    } catch {
      // Such as a transformation by JSON.parse, whose error repeats the text.
      return error(`must be ${type}`);
    }
  });
}

/** Returns the entries of a list that is separated by commas, without empty ones. */
export const splitList = (list: string): readonly string[] =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** Accepts any text. */
export const parseString = (text: string): Result<string> => ok(text);

/** Checks an http or https URL without query, fragment and user. */
const parseUrl = (text: string): Result<string> => {
  const parsed = URL.parse(text);
  const isValid =
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    [parsed.search, parsed.hash, parsed.username].join("") === "";
  return isValid ? ok(text) : error("must be an http or https URL without query and user");
};

/** Parses a whole number in decimal digits. */
export const parseInt = (text: string): Result<number> =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
    ? ok(Number(text) + 0) // "-0" gives 0
    : error("must be a whole number, in digits");

/** Parses exactly `true`, `false`, `1` or `0`. */
export const parseBool = (text: string): Result<boolean> => {
  if (text === "true" || text === "1") return ok(true);
  if (text === "false" || text === "0") return ok(false);
  return error("must be true, false, 1 or 0, in lower case");
};

/** Parses a duration such as `5m` to milliseconds. */
const parseDuration = (text: string): Result<number> => {
  try {
    return ok(TimeInternals.parseDuration(text));
  } catch {
    return error("must be a duration with units, such as 500ms, 5m or 1h30m");
  }
};

function createField<T, Options extends FieldOptions<T>>(
  key: string,
  type: string,
  options: Options,
  parse: (text: string) => Result<T>,
): ConfigurationField<FieldValue<T, Options>> {
  const { required = [], default: defaultValue, validate } = options as FieldOptions<T>;
  const field: ConfigurationField<T | undefined> = {
    key,
    type,
    description: options.description,
    isRequired: (environment) => required === true || required.includes(environment),
    default: (environment) =>
      typeof defaultValue === "function"
        ? (defaultValue as (environment: Environment) => T | undefined)(environment)
        : defaultValue,
    parse: (text) => {
      const parsed = parse(text);
      const problem = parsed.ok ? validate?.(parsed.value) : undefined;
      return problem === undefined ? parsed : error(problem);
    },
  };
  return Object.freeze(field) as ConfigurationField<FieldValue<T, Options>>;
}
