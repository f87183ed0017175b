import type { Result } from "../core/index.ts";
import type { AnyField } from "./field.ts";
import type { Form, FormField } from "./form.ts";
import type { Input } from "./inputs.ts";
import type { JsonParts } from "./json-schema.ts";
import { englishMessages, type Messages } from "./messages.ts";

/**
 * What stands in a form under several names: a list, or a record inside a record. `Schema.list` and `Schema.record` make it.
 *
 * The names in its forms are those inside it, such as `street` or `0.title`; its own is empty.
 */
export interface Composite<T> {
  /** `list` or `record`. */
  readonly kind: string;
  /** Whether anything in it is never put back into a form. */
  readonly isSensitive: boolean;
  /** What it is in JSON, for documents such as OpenAPI. */
  readonly jsonSchema: JsonParts;
  /** Reads what was sent for it. What is wrong stands in the form. */
  read(input: Input, messages: Messages): Reading<T>;
  /** The form of a value; without one that of its defaults, and of `null` one with nothing in it. */
  fill(value?: NoInfer<T> | null): Form;
}

/** What was read: the form to show again, and the value if nothing was wrong. */
export interface Reading<T> {
  readonly form: Form;
  readonly result: Result<T, unknown>;
}

/** What a record can have under a name, and a list as its items: a field, a list or a record. */
export type Member = AnyField | Composite<unknown>;

/** The type of the values of a member. */
export type ValueOf<M extends Member> = M extends { read(input: Input, messages: Messages): Reading<infer T> }
  ? T
  : M extends { readonly decode: (input: undefined, messages: Messages) => Result<infer T> }
    ? T
    : never;

export const isComposite = (member: Member): member is Composite<unknown> => "read" in member;

/** Reads a member, and names it in the form. */
export function read(name: string, member: Member, input: Input, messages: Messages): Reading<unknown> {
  if (isComposite(member)) {
    const { form, result } = member.read(input, messages);
    return { form: named(name, form), result };
  }
  const { shown, result } = input.read(member, messages);
  return { form: [formField(name, member, shown, result)], result };
}

/** What a form shows of what was read for a field. */
export function formField(
  name: string,
  field: AnyField,
  shown: string | undefined,
  result: Result<unknown>,
): FormField {
  return [name, field.isSensitive ? undefined : shown, result.ok ? undefined : result.error];
}

/** The form of a member's value, which it names: `undefined` stands for the default, `null` for none. */
export function fill(name: string, member: Member, value: unknown): Form {
  return isComposite(member) ? named(name, member.fill(value)) : [filledField(name, member, value)];
}

/** The same of a field. */
export function filledField(name: string, field: AnyField, value: unknown): FormField {
  if (field.isSensitive) return [name, undefined, undefined];
  const given = value === undefined ? defaultOf(field) : value;
  return [name, given === undefined || given === null ? undefined : field.encode(given as never), undefined];
}

/** What a new form shows. What a form means that does not send the field is no default, unless there is no other. */
function defaultOf(field: AnyField): unknown {
  const said = field.decodeJson(undefined, englishMessages);
  if (said.ok) return said.value;
  const meant = field.decode(undefined, englishMessages);
  return meant.ok ? meant.value : undefined;
}

const named = (outer: string, form: Form): Form =>
  form.map(([inner, input, error]) => [inner === "" ? outer : `${outer}.${inner}`, input, error]);
