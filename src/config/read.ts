import type { ConfigurationField, Result } from "../core/index.ts";
import { errors, invalidKey } from "./errors.ts";
import { parseBool, parseInt, parseString } from "./field.ts";
import { environment, findValue, memoize } from "./sources.ts";

/** Returns the text of a key, or `undefined` when it is not set. */
export function readString(key: string): string | undefined {
  return readKey(key, parseString);
}

/**
 * Returns the whole number of a key, or `undefined` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for anything but decimal digits.
 */
export function readInt(key: string): number | undefined {
  return readKey(key, parseInt);
}

/**
 * Returns the boolean of a key, or `undefined` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for anything but exactly `true`, `false`, `1` or `0`.
 */
export function readBool(key: string): boolean | undefined {
  return readKey(key, parseBool);
}

/**
 * Returns the value of a field, or its default when the key is not set.
 *
 * @throws E_CONFIGURATION_INVALID when the value is wrong, E_CONFIGURATION_MISSING when the key is required and not set.
 */
export function read<T>(field: ConfigurationField<T>): T {
  const value: T | undefined = readKey(field.key, field.parse);
  if (value !== undefined) return value;
  if (field.isRequired(environment())) throw errors.E_CONFIGURATION_MISSING(field.key, field.description);
  return field.default(environment());
}

/** Fields by name, such as the fields of one service. */
export interface Group<Fields extends Readonly<Record<string, ConfigurationField>>> {
  /** The fields as a list, for `Service.make({ configuration })`. */
  readonly fields: readonly ConfigurationField[];
  /**
   * Returns the values of the fields. Computed once, and again only after `Configuration.store`: fast enough for every
   * request.
   *
   * @throws E_CONFIGURATION_INVALID or E_CONFIGURATION_MISSING under the conditions of `Configuration.read`.
   */
  read(): GroupValues<Fields>;
}

/** Values of a group's fields. */
export type GroupValues<Fields extends Readonly<Record<string, ConfigurationField>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends ConfigurationField<infer T> ? T : never;
};

/**
 * Creates a group of fields.
 *
 * @example
 * const settings = Configuration.group({
 *   host: Configuration.string("SMTP_HOST", { description: "the mail server", required: true }),
 *   port: Configuration.int("SMTP_PORT", { description: "its port", default: 587, min: 1, max: 65535 }),
 * });
 * settings.read().port; // 587
 */
export function group<const Fields extends Readonly<Record<string, ConfigurationField>>>(
  fields: Fields,
): Group<Fields> {
  const readValues = (): unknown =>
    Object.freeze(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, read(field)])));
  return Object.freeze({
    fields: Object.freeze(Object.values(fields)),
    read: memoize(readValues as () => GroupValues<Fields>),
  });
}

function readKey<T>(key: string, parse: (text: string) => Result<T>): T | undefined {
  const sourced = findValue(key);
  if (sourced === undefined) return undefined;
  const parsed = parse(sourced.value);
  if (!parsed.ok) throw invalidKey(key, parsed.error);
  return parsed.value;
}
