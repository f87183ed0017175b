import { error, ok, type Result } from "../core/index.ts";
import {
  type Composite,
  fillField,
  fillMember,
  formField,
  isComposite,
  type Member,
  readMember,
  requireMember,
  type ValueOf,
} from "./composite.ts";
import { errors } from "./errors.ts";
import type { AnyField } from "./field.ts";
import { type Form, type FormField, withErrors } from "./form.ts";
import {
  type FormEntries,
  formRecordInput,
  jsonRecordInput,
  type MemberInput,
  type RecordInput,
  type RecordMembers,
} from "./inputs.ts";
import {
  type Decoded,
  partialJsonSchemas,
  recordJsonSchemas,
  type StandardProps,
  standardSchemaProps,
} from "./json-schema.ts";
import { type Messages, messages as currentMessages } from "./messages.ts";

/**
 * Schema of a typed record: decodes it from a form or JSON. It can be a member of another record, or an item of a list.
 * Also a Standard Schema and a Standard JSON Schema, version 1.
 */
export interface RecordSchema<T> extends Composite<T> {
  readonly "~standard": StandardProps<T>;
  /** Names of the members, in order. */
  readonly fields: readonly string[];
  /** Returns a field, list or record by its name. */
  readonly field: (name: string) => Member | undefined;
  /**
   * Decodes a complete form. The returned form contains all fields of the record, including absent ones.
   * Unknown fields are ignored. A field that was sent twice has an error. Decimals have the separator of the messages,
   * by default that of the current language.
   */
  readonly decode: (entries: FormEntries, messages?: Messages) => Decoded<T>;
  /**
   * Decodes only the fields that were sent. A list or record is decoded as a whole if any part of it was sent. Does not
   * apply the record's `validate`: see `check`.
   */
  readonly decodePartial: (entries: FormEntries) => Decoded<Partial<T>>;
  /** Decodes a JSON body, without converting types. If it is not an object, every field has an error. */
  readonly decodeJson: (body: unknown) => Decoded<T>;
  /** Decodes only the fields that a JSON body contains. */
  readonly decodeJsonPartial: (body: unknown) => Decoded<Partial<T>>;
  /**
   * Applies the record's `validate`. Returns its messages by field name, empty if the record is valid. The rules of
   * nested records are not applied: they run when the record is decoded.
   */
  readonly check: (value: T) => Readonly<Record<string, string>>;
  /**
   * Returns the form of a record, to edit it. `fill()` returns the form of a new record. An absent field shows its
   * default, a sensitive field stays empty. For `null`, all fields are empty.
   */
  readonly fill: (value?: Readonly<Partial<T>> | null, messages?: Messages) => Form;
}

// A mapped type, so that editors show values of the type by the name that the application gives it.
/** Type of a schema's record: `type Todo = Schema.Infer<typeof schema>`. */
export type Infer<Schema extends DecodingSchema> = {
  readonly [Name in keyof DecodedBy<Schema>]: DecodedBy<Schema>[Name];
};

interface DecodingSchema {
  readonly decode: (entries: FormEntries) => Decoded<unknown>;
}

type DecodedBy<Schema extends DecodingSchema> = NonNullable<ReturnType<Schema["decode"]>["value"]>;

/** Members of a record by name: fields, lists and nested records. */
export type Fields = Readonly<Record<string, Member>>;

/** Type of the record with these members. With `& {}`, editors show its properties, in `Readonly`, instead of this name. */
export type RecordOf<F extends Fields> = Readonly<{ -readonly [Name in keyof F]: ValueOf<F[Name]> } & {}>;

/** Messages by field name. Nested fields have full names, such as `address.street` or `lines.0.title`. */
export type MessagesOf<T> = { readonly [Name in keyof T]?: string } & NestedMessages<NamesOfComposites<T>>;

// In an intersection, `unknown` has no effect: a record without composites still allows only its own names.
type NestedMessages<Names extends string> = [Names] extends [never]
  ? unknown
  : { readonly [Name in `${Names}.${string}`]?: string };

type NamesOfComposites<T> = {
  [Name in keyof T & string]: NonNullable<T[Name]> extends string | number | boolean | Date ? never : Name;
}[keyof T & string];

/** Options of `Schema.record`. */
export interface RecordOptions<T> {
  /** Validates the record if each field is valid. Returns messages by field name, or `undefined`. */
  readonly validate?: (value: T) => MessagesOf<T> | undefined;
  /** Name of the record in API documents: `Todo`. Default: no name, so documents contain its schema inline. */
  readonly title?: string;
}

/**
 * Makes the schema of a record, which connects a typed record to a form. Fields of nested records have full names in the
 * form: `address.street`.
 *
 * @throws E_FIELD_NAME for a field whose name is empty or contains a dot, E_FIELD_TYPE for a schema of another library.
 * @example
 * const schema = Schema.record({ title: Schema.string({ min: 1 }), done: Schema.bool(), priority: Schema.int({ min: 1 }) });
 * const { form, value } = schema.decode(await request.form());
 */
export function record<const F extends Fields>(
  fields: F,
  options: RecordOptions<RecordOf<F>> = {},
): RecordSchema<RecordOf<F>> {
  type T = RecordOf<F>;
  const allMembers: ReadonlyMap<string, Member> = new Map(Object.entries(fields));
  const members = splitMembers(allMembers);

  const check = (value: T): Readonly<Record<string, string>> => withoutUndefined(options.validate?.(value) ?? {});

  const readMembers = (names: Iterable<string>, input: RecordInput, messages: Messages): Decoded<Partial<T>> => {
    const form: FormField[] = [];
    const values: [string, unknown][] = [];
    let isValid = true;
    for (const name of names) {
      const field = members.fields.get(name);
      let result: Result<unknown, unknown>;
      if (field === undefined) {
        const memberResult = readMember(name, members.composites.get(name) as Member, input.member(name), messages);
        for (const entry of memberResult.form) form.push(entry);
        ({ result } = memberResult);
      } else {
        const fieldResult = input.read(name, field);
        form.push(formField(name, field, fieldResult.input, fieldResult.result));
        ({ result } = fieldResult);
      }
      if (result.ok) values.push([name, result.value]);
      else isValid = false;
    }
    return { form, value: isValid ? (Object.fromEntries(values) as Partial<T>) : undefined };
  };
  const formInput =
    (entries: FormEntries): ReadInput =>
    (messages) =>
      formRecordInput(entries, members, messages);
  const jsonInput =
    (body: unknown): ReadInput =>
    (messages) =>
      jsonRecordInput(body, messages);
  const readSent = (readInput: ReadInput, messages: Messages = currentMessages()): Decoded<Partial<T>> => {
    const input = readInput(messages);
    return readMembers(allMembers.keys().filter(input.isSent), input, messages);
  };
  const readAll = (readInput: ReadInput, messages: Messages = currentMessages()): Decoded<T> => {
    const input = readInput(messages);
    const { form, value } = readMembers(allMembers.keys(), input, messages);
    const problems = value === undefined ? {} : check(value as T);
    if (Object.keys(problems).length === 0) return { form, value: value as T | undefined };
    return { form: withErrors(form, problems), value: undefined };
  };
  const decodeJson = (body: unknown): Decoded<T> => readAll(jsonInput(body));

  const jsonSchema = recordJsonSchemas(allMembers, options.title);

  return Object.freeze({
    kind: "record",
    isSensitive: allMembers.values().some(({ isSensitive }) => isSensitive),
    fields: Object.freeze([...allMembers.keys()]),
    field: (name: string) => allMembers.get(name),
    decode: (entries: FormEntries, messages?: Messages) => readAll(formInput(entries), messages),
    decodePartial: (entries: FormEntries) => readSent(formInput(entries)),
    decodeJson,
    decodeJsonPartial: (body: unknown) => readSent(jsonInput(body)),
    read: (input: MemberInput, messages: Messages) => {
      const { form, value } = readAll((given) => input.asRecord(members, given), messages);
      return { form, result: value === undefined ? error(undefined) : ok(value) };
    },
    check,
    fill: (value?: Readonly<Partial<T>> | null, messages: Messages = currentMessages()) => {
      const form: FormField[] = [];
      for (const [name, member] of allMembers) {
        const shownValue = memberValue(name, value);
        if (isComposite(member)) for (const entry of fillMember(name, member, shownValue, messages)) form.push(entry);
        else form.push(fillField(name, member, shownValue, messages));
      }
      return form;
    },
    jsonSchema,
    "~standard": standardSchemaProps(decodeJson, jsonSchema),
  });
}

/**
 * Makes a schema of the input of `decodeJsonPartial`: any field may be absent, and defaults do not apply. For the
 * description of a PATCH request, and for libraries that accept a Standard Schema.
 */
export function partial<T>({ decodeJsonPartial, jsonSchema }: RecordSchema<T>): PartialSchema<T> {
  return Object.freeze({ "~standard": standardSchemaProps(decodeJsonPartial, partialJsonSchemas(jsonSchema)) });
}

/** Standard Schema and Standard JSON Schema, version 1, of a part of a record. */
export interface PartialSchema<T> {
  readonly "~standard": StandardProps<Partial<T>>;
}

/** Returns the input of a record, whose errors are in these messages. */
type ReadInput = (messages: Messages) => RecordInput;

interface SplitMembers extends RecordMembers {
  readonly composites: ReadonlyMap<string, Composite<unknown>>;
}

function splitMembers(members: ReadonlyMap<string, Member>): SplitMembers {
  const fields = new Map<string, AnyField>();
  const composites = new Map<string, Composite<unknown>>();
  for (const [name, member] of members) {
    if (name === "" || name.includes(".")) throw errors.E_FIELD_NAME(name);
    requireMember(member);
    if (isComposite(member)) composites.set(name, member);
    else fields.set(name, member);
  }
  return { fields, composites };
}

/** Returns the value to show for a member: `undefined` for its default if it is absent, `null` if it is empty. */
function memberValue(name: string, value: Readonly<Record<string, unknown>> | null | undefined): unknown {
  if (value === undefined || value === null) return value;
  return Object.hasOwn(value, name) ? (value[name] ?? null) : undefined;
}

function withoutUndefined(problems: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
