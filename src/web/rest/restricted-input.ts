import { isDeepStrictEqual } from "node:util";
import { Form, Schema } from "../../schema/index.ts";
import { isJson, type Request } from "../../http/message/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { isObject } from "../names.ts";
import type { KeptFields } from "./access.ts";
import { chosenEntries, fieldName, fieldOf, fieldsOf, type Input, readInput, readPartialInput } from "./input.ts";

/**
 * Reads the input of a user who may not write some fields. They keep the value of the item; those of a new item have their
 * default. A sent one has an error, unless it has the value that the user has read. Throws as `readInput`.
 */
export async function readRestrictedInput<T>(
  request: Request,
  schema: Schema.RecordSchema<T>,
  { names, unreadable }: KeptFields,
  item: object | undefined,
): Promise<Input<T>> {
  const isKept = (name: string): boolean => names.includes(name);
  const kept = partOf(schema, isKept);
  // With all names: those that are kept are no unknown properties.
  const open = { ...partOf(schema, (name) => !isKept(name)), fields: schema.fields };
  const isPartial = request.method === "PATCH" && item !== undefined;
  const input = isPartial ? await readPartialInput(request, open, item) : await readInput(request, open);
  const isHidden = (name: string): boolean => unreadable.includes(name) || schema.field(name)?.isSensitive === true;
  const sent = isJson(request.header("content-type"))
    ? kept.decodeJsonPartial(objectOf(await request.json()))
    : // Pages show hidden fields empty.
      kept.decodePartial(
        chosenEntries(await request.form()).filter(([name, text]) => text !== "" || !isHidden(fieldName(name))),
      );
  const value = item === undefined ? newRecord(kept).value : fieldsOf(item, kept);
  const storedForm = kept.fill(value);
  const sentForm = sent.value === undefined ? sent.form : kept.fill(sent.value);
  // An answer that depends on a hidden value would reveal it.
  const isChanged = (name: string): boolean =>
    isHidden(name) || !isDeepStrictEqual(entriesOf(sentForm, name), entriesOf(storedForm, name));
  const sentNames = new Set([...sent.form.map(fieldOf), ...Object.keys(sent.value ?? {})]);
  const { notWritable } = LanguageInternals.frameworkTexts().components;
  // Stored values are left out: the user may not read them either.
  const problemEntries = [...sentNames].filter(isChanged).flatMap((name) => {
    const parts = entriesOf(sentForm, name).filter(([fullName]) => fullName !== name);
    const shown = parts.map(([fullName, text]) => [fullName, text, undefined] as const);
    return [[name, Form.find(sentForm, name)[0], notWritable] as const, ...shown];
  });
  const form = [...input.form, ...problemEntries];
  if (problemEntries.length > 0 || input.value === undefined || value === undefined) return { form, value: undefined };
  const complete = { ...input.value, ...value } as T;
  const problems = schema.check(complete);
  if (Object.keys(problems).length > 0) return { form: Form.withErrors(form, problems), value: undefined };
  return { ...input, form, value: complete };
}

/** Returns a JSON body, or one without properties instead of what is no object: the other fields have its error. */
const objectOf = (body: unknown): unknown => (isObject(body) ? body : {});

/** Returns the entries of a field of a form. A list or a record has several. */
const entriesOf = (form: Form, name: string): Form => form.filter((field) => fieldOf(field) === name);

/** Returns a record as its form shows a new one. */
const newRecord = <T>(schema: Schema.RecordSchema<T>): Schema.Decoded<T> =>
  schema.decode(schema.fill().flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])));

/** Returns those of some fields that new records lack, because they have no default. */
export const fieldsWithoutDefault = (
  schema: Pick<Schema.RecordSchema<unknown>, "fields" | "field">,
  names: readonly string[],
): readonly string[] =>
  names.filter((name) => newRecord(partOf(schema, (field) => field === name)).value === undefined);

/** Returns the schema of a part of the fields of a record, without its `validate`. */
function partOf(
  schema: Pick<Schema.RecordSchema<unknown>, "fields" | "field">,
  isPart: (name: string) => boolean,
): Schema.RecordSchema<Readonly<Record<string, unknown>>> {
  const names = schema.fields.filter(isPart);
  return Schema.record(Object.fromEntries(names.map((name) => [name, schema.field(name) as Schema.Member])));
}
