import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Result } from "../core/index.ts";
import { errors as errorsOf, type Form, type FormField, withErrors } from "./form.ts";
import type { AnyField } from "./field.ts";
import { type Entries, formInputs, type Inputs, jsonInputs } from "./inputs.ts";
import { englishMessages, type Messages } from "./messages.ts";

/** What was read: the form to show again, and the value if nothing was wrong. */
export interface Decoded<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/** A typed record, and the way to it from a form or JSON. A Standard Schema, version 1. */
export interface RecordSchema<T> extends StandardSchemaV1<T, T> {
  /** The names of the fields, in order. */
  readonly fields: readonly string[];
  /** A field by its name. */
  readonly field: (name: string) => AnyField | undefined;
  /**
   * Reads a whole form. Every field of the record is in the form that it gives, those that were not sent too; others
   * are ignored. A field that was sent twice is an error of that field.
   */
  readonly decode: (entries: Entries) => Decoded<T>;
  /** Reads only the fields that were sent. Rules over several fields are not asked: see `check`. */
  readonly decodePartial: (entries: Entries) => Decoded<Partial<T>>;
  /** Reads a JSON body, where numbers are numbers and booleans booleans. What is no object misses every field. */
  readonly decodeJson: (body: unknown) => Decoded<T>;
  /** Reads only the fields that a JSON body holds. */
  readonly decodeJsonPartial: (body: unknown) => Decoded<Partial<T>>;
  /** The messages of the rules over several fields, by field; empty when all hold. */
  readonly check: (value: T) => Readonly<Record<string, string>>;
  /**
   * The form of a record, to edit it; `fill()` is the form of a new one. A field that it lacks shows its default,
   * sensitive fields stay empty.
   */
  readonly fill: (value?: Readonly<Partial<T>>) => Form;
}

/** The type of a schema's record: `type Todo = Schema.Infer<typeof schema>`. */
export type Infer<Schema extends { readonly decode: (entries: Entries) => Decoded<unknown> }> = NonNullable<
  ReturnType<Schema["decode"]>["value"]
>;

/** The fields of a record, by name. */
export type Fields = Readonly<Record<string, AnyField>>;

/** The record that fields make. */
export type RecordOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends {
    readonly decode: (input: undefined, messages: Messages) => Result<infer T>;
  }
    ? T
    : never;
};

/** What `record` can be given beside the fields. */
export interface RecordOptions<T> {
  /** Judges the whole record once each field is valid: gives messages by field, or nothing. */
  readonly validate?: (value: T) => Readonly<{ [Name in keyof T]?: string }> | undefined;
  /** Replaces messages of the fields. */
  readonly messages?: Partial<Messages>;
}

/**
 * A schema: it connects a typed record to what is typed into a form.
 *
 * @example
 * const schema = Schema.record({ title: Schema.string({ min: 1 }), done: Schema.bool(), priority: Schema.int({ min: 1 }) });
 * const { form, value } = schema.decode(await request.form());
 */
export function record<const F extends Fields>(
  fields: F,
  options: RecordOptions<RecordOf<F>> = {},
): RecordSchema<RecordOf<F>> {
  type T = RecordOf<F>;
  const byName: ReadonlyMap<string, AnyField> = new Map(Object.entries(fields));
  const messages: Messages = { ...englishMessages, ...options.messages };

  const check = (value: T): Readonly<Record<string, string>> => withoutGaps(options.validate?.(value) ?? {});

  const read = (inputs: Inputs, names: Iterable<string>): Decoded<Partial<T>> => {
    const form: FormField[] = [];
    const values: [string, unknown][] = [];
    for (const name of names) {
      const field = byName.get(name) as AnyField;
      const { shown, result } = inputs.read(name, field);
      form.push([name, field.isSensitive ? undefined : shown, result.ok ? undefined : result.error]);
      if (result.ok) values.push([name, result.value]);
    }
    return { form, value: values.length === form.length ? (Object.fromEntries(values) as Partial<T>) : undefined };
  };

  const whole = ({ form, value }: Decoded<Partial<T>>): Decoded<T> => {
    const problems = value === undefined ? {} : check(value as T);
    if (Object.keys(problems).length === 0) return { form, value: value as T | undefined };
    return { form: withErrors(form, problems), value: undefined };
  };

  const readAll = (inputs: Inputs): Decoded<T> => whole(read(inputs, byName.keys()));
  const readSent = (inputs: Inputs): Decoded<Partial<T>> => read(inputs, byName.keys().filter(inputs.isSent));
  const decodeJson = (body: unknown): Decoded<T> => readAll(jsonInputs(body, messages));

  return Object.freeze({
    fields: Object.freeze([...byName.keys()]),
    field: (name: string) => byName.get(name),
    decode: (entries: Entries) => readAll(formInputs(entries, byName, messages)),
    decodePartial: (entries: Entries) => readSent(formInputs(entries, byName, messages)),
    decodeJson,
    decodeJsonPartial: (body: unknown) => readSent(jsonInputs(body, messages)),
    check,
    fill: (value?: Readonly<Partial<T>>) =>
      [...byName].map(([name, field]) => filled(name, field, value ?? {}, messages)),
    "~standard": {
      version: 1 as const,
      vendor: "limmat",
      validate: (body: unknown): StandardSchemaV1.Result<T> => {
        const { form, value } = decodeJson(body);
        if (value !== undefined) return { value };
        return { issues: Object.entries(errorsOf(form)).map(([name, message]) => ({ message, path: [name] })) };
      },
    },
  });
}

function filled(
  name: string,
  field: AnyField,
  value: Readonly<Record<string, unknown>>,
  messages: Messages,
): FormField {
  if (field.isSensitive) return [name, undefined, undefined];
  const fallback = field.decode(undefined, messages);
  const given = Object.hasOwn(value, name) ? value[name] : fallback.ok ? fallback.value : undefined;
  return [name, given === undefined || given === null ? undefined : field.encode(given as never), undefined];
}

function withoutGaps(problems: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
