import { ok, type Result } from "../core/index.ts";
import { errors } from "./errors.ts";
import type { AnyField, Field } from "./field.ts";
import type { Form, FormField } from "./form.ts";
import type { MemberInput } from "./inputs.ts";
import { type JsonSchemaPair, optionalJsonSchemas } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/**
 * Member of a record with several form fields: a list or a nested record. Made by `Schema.list` and `Schema.record`.
 *
 * The names in its forms are relative, such as `street` or `0.title`. The composite itself has the empty name.
 */
export interface Composite<T> {
  /** Kind of the composite: `list` or `record`. */
  readonly kind: string;
  /** True if a form never shows some of its values again. */
  readonly isSensitive: boolean;
  /** JSON Schemas of the composite, for documents such as OpenAPI. */
  readonly jsonSchema: JsonSchemaPair;
  /** Decodes the input. The form of the result contains the errors. */
  read(input: MemberInput, messages: Messages): MemberResult<T>;
  /** Returns the form of a value. Without a value it shows the defaults, for `null` it is empty. */
  fill(value?: NoInfer<T> | null, messages?: Messages): Form;
}

/** Result of decoding a member: the form to show again, and the value or an error. */
export interface MemberResult<T> {
  readonly form: Form;
  readonly result: Result<T, unknown>;
}

/** Member of a record, or item of a list: a field, a list or a record. */
export type Member = AnyField | Composite<unknown>;

/** Type of the values of a member. */
export type ValueOf<M extends Member> = M extends {
  read(input: MemberInput, messages: Messages): MemberResult<infer T>;
}
  ? T
  : M extends { readonly decode: (input: undefined, messages: Messages) => Result<infer T> }
    ? T
    : never;

export const isComposite = (member: Member): member is Composite<unknown> => "read" in member;

/** Throws E_FIELD_TYPE unless a member is a field, a list or a record. The types refuse others, but not in JavaScript. */
export function requireMember(member: Partial<Member & HasVendor> | null | undefined): void {
  if (member?.jsonSchema === undefined) throw errors.E_FIELD_TYPE(member?.["~standard"]?.vendor ?? typeof member);
}

interface HasVendor {
  readonly "~standard": { readonly vendor: string };
}

/** Decodes the input of a member. The names in the form begin with `name`. */
export function readMember(
  name: string,
  member: Member,
  memberInput: MemberInput,
  messages: Messages,
): MemberResult<unknown> {
  if (isComposite(member)) {
    const { form, result } = member.read(memberInput, messages);
    return { form: prefixNames(name, form), result };
  }
  const { input, result } = memberInput.read(member, messages);
  return { form: [formField(name, member, input, result)], result };
}

/** Returns the form field of a decoded field. */
export function formField(
  name: string,
  field: AnyField,
  input: string | undefined,
  result: Result<unknown>,
): FormField {
  return [name, field.isSensitive ? undefined : input, result.ok ? undefined : result.error];
}

/** Returns the form of a member's value: of the default for `undefined`, and an empty one for `null`. */
export function fillMember(name: string, member: Member, value: unknown, messages: Messages): Form {
  return isComposite(member)
    ? prefixNames(name, member.fill(value, messages))
    : [fillField(name, member, value, messages)];
}

/** Returns the form field of a field's value: of the default for `undefined`, and an empty one for `null`. */
export function fillField(name: string, field: AnyField, value: unknown, messages: Messages): FormField {
  if (field.isSensitive) return [name, undefined, undefined];
  const shownValue = value === undefined ? defaultValueOf(field, messages) : value;
  const isEmpty = shownValue === undefined || shownValue === null;
  return [name, isEmpty ? undefined : field.encode(shownValue as never, messages), undefined];
}

/** Returns the value that a new form shows: the default, or else the value of a form without the field. */
function defaultValueOf(field: AnyField, messages: Messages): unknown {
  const jsonResult = field.decodeJson(undefined, messages);
  if (jsonResult.ok) return jsonResult.value;
  const formResult = field.decode(undefined, messages);
  return formResult.ok ? formResult.value : undefined;
}

const prefixNames = (prefix: string, form: Form): Form =>
  form.map(([name, input, error]) => [name === "" ? prefix : `${prefix}.${name}`, input, error]);

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
      fill: (value, messages) => inner.fill(value ?? null, messages),
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
    encode: (value: T | undefined, messages?: Messages) =>
      value === undefined || value === null ? undefined : inner.encode(value, messages),
    decimal: inner.decimal,
  });
}
