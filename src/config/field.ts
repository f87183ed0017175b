import { type ConfigurationField, type Environment, error, ok, type Result } from "../core/index.ts";
import { Time } from "../time/index.ts";

/** What every field maker is given. */
export interface FieldOptions<T> {
  /** What the value is for, in a few words, without a full stop. */
  readonly description: string;
  /** Whether the application must not start without it: always, or in these environments. */
  readonly required?: true | readonly Environment[];
  /** The value when the key is not set, or a function that gives it for an environment. */
  readonly default?: T | ((environment: Environment) => T | undefined);
  /** What is wrong with a value, continuing the key's name ("must start with a slash"), or `undefined`. */
  readonly validate?: (value: T) => string | undefined;
}

/** What an integer field is given. */
export interface IntOptions extends FieldOptions<number> {
  /** The smallest value allowed. */
  readonly min?: number;
  /** The largest value allowed. */
  readonly max?: number;
}

/** The type of a field's value: never `undefined` when the field is always required or always has a default. */
export type FieldValue<T, Options> = Options extends { readonly required: true }
  ? T
  : Options extends { readonly default: infer Default }
    ? undefined extends (Default extends (...environment: never[]) => infer Returned ? Returned : Default)
      ? T | undefined
      : T
    : T | undefined;

/** A text, as it is. */
export function string<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<string, Options>> {
  return make<string, Options>(key, "string", options, parseString);
}

/** The address of a page, with `http` or `https`, without query, fragment and user: what follows it is added in code. */
export function url<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<string, Options>> {
  return make<string, Options>(key, "URL", options, parseUrl);
}

/** A text that nobody may see, a password or a key: its default is not shown either. */
export function secret<const Options extends FieldOptions<string>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<string, Options>> {
  return make<string, Options>(key, "secret", options, parseString);
}

/** Exactly `true`, `false`, `1` or `0`. */
export function bool<const Options extends FieldOptions<boolean>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<boolean, Options>> {
  return make<boolean, Options>(key, "true or false", options, parseBool);
}

/** A whole number in decimal digits, within limits. */
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
  return make<number, Options>(key, type, options, (text) => {
    const parsed = parseInt(text);
    return parsed.ok && parsed.value >= min && parsed.value <= max ? parsed : error(`must be a ${type}, in digits`);
  });
}

/** One of the texts in `values`, exactly. */
export function oneOf<const Value extends string, const Options extends FieldOptions<NoInfer<Value>>>(
  key: string,
  options: Options & { readonly values: readonly Value[] },
): ConfigurationField<FieldValue<Value, Options>> {
  const type = `one of ${options.values.join(", ")}`;
  return make<Value, Options>(key, type, options, (text) => {
    const value = options.values.find((known) => known === text);
    return value === undefined ? error(`must be ${type}`) : ok(value);
  });
}

/** A duration such as `5m` or `1h30m` (see `Time.parseDuration`), in milliseconds. */
export function duration<const Options extends FieldOptions<number>>(
  key: string,
  options: Options,
): ConfigurationField<FieldValue<number, Options>> {
  return make<number, Options>(key, "duration", options, parseDuration);
}

/** Any text is a string. */
export const parseString = (text: string): Result<string> => ok(text);

/** A text that is the address of a page. */
export const parseUrl = (text: string): Result<string> => {
  const parsed = URL.parse(text);
  const isRight =
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    [parsed.search, parsed.hash, parsed.username].join("") === "";
  return isRight ? ok(text) : error("must be an http or https URL without query and user");
};

/** The integer of a text in decimal digits. */
export const parseInt = (text: string): Result<number> =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
    ? ok(Number(text) + 0) // "-0" gives 0
    : error("must be a whole number, in digits");

/** The truth value of exactly `true`, `false`, `1` or `0`. */
export const parseBool = (text: string): Result<boolean> => {
  if (text === "true" || text === "1") return ok(true);
  if (text === "false" || text === "0") return ok(false);
  return error("must be true, false, 1 or 0, in lower case");
};

/** The milliseconds of a duration such as `5m`. */
export const parseDuration = (text: string): Result<number> => {
  try {
    return ok(Time.parseDuration(text));
  } catch {
    return error("must be a duration with units, such as 500ms, 5m or 1h30m");
  }
};

function make<T, Options extends FieldOptions<T>>(
  key: string,
  type: string,
  options: Options,
  parse: (text: string) => Result<T>,
): ConfigurationField<FieldValue<T, Options>> {
  const { required = [], default: fallback, validate } = options as FieldOptions<T>;
  const field: ConfigurationField<T | undefined> = {
    key,
    type,
    description: options.description,
    isRequired: (environment) => required === true || required.includes(environment),
    default: (environment) =>
      typeof fallback === "function"
        ? (fallback as (environment: Environment) => T | undefined)(environment)
        : fallback,
    parse: (text) => {
      const parsed = parse(text);
      const problem = parsed.ok ? validate?.(parsed.value) : undefined;
      return problem === undefined ? parsed : error(problem);
    },
  };
  return Object.freeze(field) as ConfigurationField<FieldValue<T, Options>>;
}
