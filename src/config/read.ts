import type { ConfigurationField, Result } from "../core/index.ts";
import { errors, invalidKey } from "./errors.ts";
import { parseBool, parseDuration, parseInt, parseString } from "./field.ts";
import { secretField } from "./fields.ts";
import { derived, environment, find } from "./sources.ts";

/** The text of a key, or `undefined` when it is not set. */
export function readString(key: string): string | undefined {
  return readKey(key, parseString);
}

/**
 * The whole number of a key, or `undefined` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for anything but decimal digits.
 */
export function readInt(key: string): number | undefined {
  return readKey(key, parseInt);
}

/**
 * The truth value of a key, or `undefined` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for anything but exactly `true`, `false`, `1` or `0`.
 */
export function readBool(key: string): boolean | undefined {
  return readKey(key, parseBool);
}

/**
 * The milliseconds of a key that holds a duration such as `5m`, or `undefined` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for any other text.
 */
export function readDuration(key: string): number | undefined {
  return readKey(key, parseDuration);
}

/**
 * The text of `FRAMEWORK_SECRET`; outside production a fixed one when it is not set. To sign, use
 * `Configuration.Secret.secretKeys`: a key belongs to one purpose.
 *
 * @throws E_CONFIGURATION_MISSING or E_CONFIGURATION_INVALID in production when it is missing, shorter than 32 bytes,
 * one character repeated, or a sample.
 */
export function readSecret(): string {
  return read(secretField);
}

/**
 * The value of a field, its default when the key is not set.
 *
 * @throws E_CONFIGURATION_INVALID when the value is wrong, E_CONFIGURATION_MISSING when the key is required and not set.
 */
export function read<T>(field: ConfigurationField<T>): T {
  const value: T | undefined = readKey(field.key, field.parse);
  if (value !== undefined) return value;
  if (field.isRequired(environment())) throw errors.E_CONFIGURATION_MISSING(field.key, field.description);
  return field.default(environment());
}

/** Fields that belong together, such as those of a service. */
export interface Group<Fields extends Readonly<Record<string, ConfigurationField>>> {
  /** The fields as a list, for `Service.make({ configuration })`. */
  readonly fields: readonly ConfigurationField[];
  /**
   * Their values. Computed once, and again only after `Configuration.store`: cheap enough for every request.
   *
   * @throws what `Configuration.read` throws.
   */
  read(): GroupValues<Fields>;
}

/** The values of a group's fields. */
export type GroupValues<Fields extends Readonly<Record<string, ConfigurationField>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends ConfigurationField<infer T> ? T : never;
};

/**
 * Makes a group of fields.
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
  const values = (): unknown =>
    Object.freeze(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, read(field)])));
  return Object.freeze({
    fields: Object.freeze(Object.values(fields)),
    read: derived(values as () => GroupValues<Fields>),
  });
}

function readKey<T>(key: string, parse: (text: string) => Result<T>): T | undefined {
  const found = find(key);
  if (found === undefined) return undefined;
  const parsed = parse(found.value);
  if (!parsed.ok) throw invalidKey(key, parsed.error);
  return parsed.value;
}
