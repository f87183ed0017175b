import { error, ok, type Result } from "../core/index.ts";
import {
  type Composite,
  fill,
  filledField,
  formField,
  isComposite,
  type Member,
  read,
  type ValueOf,
} from "./composite.ts";
import { errors } from "./errors.ts";
import type { AnyField } from "./field.ts";
import { type Form, type FormField, withErrors } from "./form.ts";
import { type Entries, formInputs, type Input, type Inputs, jsonInputs, type Members } from "./inputs.ts";
import { partialParts, recordParts } from "./json-schema.ts";
import { englishMessages, type Messages } from "./messages.ts";
import { type Decoded, standardProps, type StandardProps } from "./standard.ts";

/**
 * A typed record, and the way to it from a form or JSON. A Standard Schema and a Standard JSON Schema, version 1; and inside
 * another record, or in a list, one of its fields.
 */
export interface RecordSchema<T> extends Composite<T> {
  readonly "~standard": StandardProps<T>;
  /** The names of the fields, in order. */
  readonly fields: readonly string[];
  /** A field, list or record by its name. */
  readonly field: (name: string) => Member | undefined;
  /**
   * Reads a whole form. Every field of the record is in the form that it gives, those that were not sent too; others
   * are ignored. A field that was sent twice is an error of that field.
   */
  readonly decode: (entries: Entries) => Decoded<T>;
  /**
   * Reads only the fields that were sent, a list or record of which anything was sent as a whole. Rules over several fields
   * are not asked: see `check`.
   */
  readonly decodePartial: (entries: Entries) => Decoded<Partial<T>>;
  /** Reads a JSON body, where numbers are numbers and booleans booleans. What is no object misses every field. */
  readonly decodeJson: (body: unknown) => Decoded<T>;
  /** Reads only the fields that a JSON body holds. */
  readonly decodeJsonPartial: (body: unknown) => Decoded<Partial<T>>;
  /**
   * The messages of the rules over several fields, by field; empty when all hold. Those of a record inside are asked when it
   * is read.
   */
  readonly check: (value: T) => Readonly<Record<string, string>>;
  /**
   * The form of a record, to edit it; `fill()` is the form of a new one. A field that it lacks shows its default,
   * sensitive fields stay empty. Of `null`, all are empty.
   */
  readonly fill: (value?: Readonly<Partial<T>> | null) => Form;
}

/** The type of a schema's record: `type Todo = Schema.Infer<typeof schema>`. */
export type Infer<Schema extends { readonly decode: (entries: Entries) => Decoded<unknown> }> = NonNullable<
  ReturnType<Schema["decode"]>["value"]
>;

/** The fields of a record, its lists and the records inside it, by name. */
export type Fields = Readonly<Record<string, Member>>;

/** The record that fields make. */
export type RecordOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** Messages by field; for what is inside one by its full name, such as `address.street` or `lines.0.title`. */
export type MessagesOf<T> = { readonly [Name in keyof T]?: string } & MessagesInside<NamesOfComposites<T>>;

// Unknown adds nothing: a record of mere fields keeps the check that its messages are for names which it has.
type MessagesInside<Names extends string> = [Names] extends [never]
  ? unknown
  : { readonly [Name in `${Names}.${string}`]?: string };

type NamesOfComposites<T> = {
  [Name in keyof T & string]: NonNullable<T[Name]> extends string | number | boolean | Date ? never : Name;
}[keyof T & string];

/** What `record` can be given beside the fields. */
export interface RecordOptions<T> {
  /** Judges the whole record once each field is valid: gives messages by field, or nothing. */
  readonly validate?: (value: T) => MessagesOf<T> | undefined;
  /** Replaces messages of the fields, and of what is inside them. */
  readonly messages?: Partial<Messages>;
  /** What a document of the interface calls it: `Todo`. Default: it has no name, and is written out where it stands. */
  readonly title?: string;
}

/**
 * A schema: it connects a typed record to what is typed into a form. A record inside it stands in the form by full names:
 * `address.street`.
 *
 * @throws E_FIELD_NAME for a field whose name is empty or holds a dot.
 * @example
 * const schema = Schema.record({ title: Schema.string({ min: 1 }), done: Schema.bool(), priority: Schema.int({ min: 1 }) });
 * const { form, value } = schema.decode(await request.form());
 */
export function record<const F extends Fields>(
  fields: F,
  options: RecordOptions<RecordOf<F>> = {},
): RecordSchema<RecordOf<F>> {
  type T = RecordOf<F>;
  const all: ReadonlyMap<string, Member> = new Map(Object.entries(fields));
  const members = membersOf(all);
  const messagesIn = (outer: Messages): Messages =>
    options.messages === undefined ? outer : { ...outer, ...options.messages };
  const ownMessages = messagesIn(englishMessages);

  const check = (value: T): Readonly<Record<string, string>> => withoutGaps(options.validate?.(value) ?? {});

  const readThese = (names: Iterable<string>, inputs: Inputs, messages: Messages): Decoded<Partial<T>> => {
    const form: FormField[] = [];
    const values: [string, unknown][] = [];
    let isValid = true;
    for (const name of names) {
      const field = members.fields.get(name);
      let result: Result<unknown, unknown>;
      if (field === undefined) {
        const reading = read(name, members.composites.get(name) as Member, inputs.at(name), messages);
        for (const each of reading.form) form.push(each);
        ({ result } = reading);
      } else {
        const reading = inputs.read(name, field);
        form.push(formField(name, field, reading.shown, reading.result));
        ({ result } = reading);
      }
      if (result.ok) values.push([name, result.value]);
      else isValid = false;
    }
    return { form, value: isValid ? (Object.fromEntries(values) as Partial<T>) : undefined };
  };
  const readSent = (inputs: Inputs): Decoded<Partial<T>> =>
    readThese(all.keys().filter(inputs.isSent), inputs, ownMessages);
  const readAll = (inputs: Inputs, messages: Messages = ownMessages): Decoded<T> => {
    const { form, value } = readThese(all.keys(), inputs, messages);
    const problems = value === undefined ? {} : check(value as T);
    if (Object.keys(problems).length === 0) return { form, value: value as T | undefined };
    return { form: withErrors(form, problems), value: undefined };
  };
  const decodeJson = (body: unknown): Decoded<T> => readAll(jsonInputs(body, ownMessages));

  const jsonSchema = recordParts(all, options.title);

  return Object.freeze({
    kind: "record",
    isSensitive: all.values().some(({ isSensitive }) => isSensitive),
    fields: Object.freeze([...all.keys()]),
    field: (name: string) => all.get(name),
    decode: (entries: Entries) => readAll(formInputs(entries, members, ownMessages)),
    decodePartial: (entries: Entries) => readSent(formInputs(entries, members, ownMessages)),
    decodeJson,
    decodeJsonPartial: (body: unknown) => readSent(jsonInputs(body, ownMessages)),
    read: (input: Input, outer: Messages) => {
      const messages = messagesIn(outer);
      const { form, value } = readAll(input.inputs(members, messages), messages);
      return { form, result: value === undefined ? error(undefined) : ok(value) };
    },
    check,
    fill: (value?: Readonly<Partial<T>> | null) => {
      const form: FormField[] = [];
      for (const [name, member] of all) {
        const given = givenFor(name, value);
        if (isComposite(member)) for (const each of fill(name, member, given)) form.push(each);
        else form.push(filledField(name, member, given));
      }
      return form;
    },
    jsonSchema,
    "~standard": standardProps(decodeJson, jsonSchema),
  });
}

/**
 * The schema of what `decodeJsonPartial` reads: any field may be left out, and none has a default. For the description of a
 * PATCH, and for libraries that take a Standard Schema.
 */
export function partial<T>({ decodeJsonPartial, jsonSchema }: RecordSchema<T>): PartialSchema<T> {
  return Object.freeze({ "~standard": standardProps(decodeJsonPartial, partialParts(jsonSchema)) });
}

/** A Standard Schema and a Standard JSON Schema, version 1, of some fields of a record. */
export interface PartialSchema<T> {
  readonly "~standard": StandardProps<Partial<T>>;
}

function membersOf(all: ReadonlyMap<string, Member>): Members {
  const fields = new Map<string, AnyField>();
  const composites = new Map<string, Composite<unknown>>();
  for (const [name, member] of all) {
    if (name === "" || name.includes(".")) throw errors.E_FIELD_NAME(name);
    if (isComposite(member)) composites.set(name, member);
    else fields.set(name, member);
  }
  return { fields, composites };
}

/** What is shown of a member: `undefined`, its default, when it is not given, and `null` when nothing is given for it. */
function givenFor(name: string, value: Readonly<Record<string, unknown>> | null | undefined): unknown {
  if (value === undefined || value === null) return value;
  return Object.hasOwn(value, name) ? (value[name] ?? null) : undefined;
}

function withoutGaps(problems: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
