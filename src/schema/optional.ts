import { ok, type Result } from "../core/index.ts";
import { type Composite, isComposite, requireMember } from "./composite.ts";
import type { Field } from "./field.ts";
import { optionalJsonSchemas } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/**
 * Makes a field optional: if it is not sent, empty, or `null` in JSON, its value is `undefined`. In a form, a list or a
 * record is empty if it contains only empty texts.
 *
 * @example
 * Schema.record({ title: Schema.string(), note: Schema.optional(Schema.string()) });
 */
export function optional<T>(inner: Field<T>): Field<T | undefined>;
export function optional<T>(inner: Composite<T>): Composite<T | undefined>;
export function optional<T>(inner: Field<T> | Composite<T>): Field<T | undefined> | Composite<T | undefined> {
  requireMember(inner);
  const { kind, isSensitive } = inner;
  const jsonSchema = optionalJsonSchemas(inner.jsonSchema);
  if (isComposite(inner)) {
    return Object.freeze<Composite<T | undefined>>({
      kind,
      isSensitive,
      jsonSchema,
      read: (input, messages) =>
        input.isEmpty ? { form: inner.fill(null), result: ok(undefined) } : inner.read(input, messages),
      fill: (value) => inner.fill(value ?? null),
    });
  }
  return Object.freeze({
    kind,
    isSensitive,
    jsonSchema,
    decode: (input: string | undefined, messages: Messages): Result<T | undefined> =>
      input === undefined || input === "" ? ok(undefined) : inner.decode(input, messages),
    decodeJson: (input: unknown, messages: Messages): Result<T | undefined> =>
      input === undefined || input === null ? ok(undefined) : inner.decodeJson(input, messages),
    encode: (value: T | undefined) => (value === undefined || value === null ? undefined : inner.encode(value)),
  });
}
