import { Form, Schema } from "../../schema/index.ts";
import { isJson, type Request } from "../../http/message/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { fieldOf, fieldsOf, type Input, readInput, readPartialInput } from "./input.ts";

/** Fields that a user may not write, and the item that has them: `undefined` for a new one. */
export interface Restriction {
  readonly fields: readonly string[];
  readonly item: object | undefined;
}

/**
 * Reads the input of a user who may not write some fields. They keep the value of the item; those of a new item have their
 * default. A sent one with another value has an error. Throws as `readInput`.
 */
export async function readRestrictedInput<T>(
  request: Request,
  schema: Schema.RecordSchema<T>,
  { fields, item }: Restriction,
): Promise<Input<T>> {
  const isKept = (name: string): boolean => fields.includes(name);
  const [open, kept] = [partOf(schema, (name) => !isKept(name)), partOf(schema, isKept)];
  const isPartial = request.method === "PATCH" && item !== undefined;
  const input = isPartial ? await readPartialInput(request, open, item) : await readInput(request, open);
  const sent = isJson(request.header("content-type"))
    ? kept.decodeJsonPartial(await request.json())
    : kept.decodePartial(await request.form());
  const stored = item === undefined ? newRecord(kept) : { form: [], value: fieldsOf(item, kept) };
  const storedForm = stored.value === undefined ? stored.form : kept.fill(stored.value);
  const texts = new Map(storedForm.map(([name, text]) => [name, text]));
  const sentForm = sent.value === undefined ? sent.form : kept.fill(sent.value).filter(isSentIn(sent.form));
  const refused = sentForm.filter(([name, text, message]) => message !== undefined || texts.get(name) !== text);
  const { notWritable } = LanguageInternals.frameworkTexts().components;
  // Stored values are left out: the user may not read them either.
  const form = [...input.form, ...refused.map(([name, text]) => [name, text, notWritable] as const)];
  if (refused.length > 0 || input.value === undefined || stored.value === undefined) return { form, value: undefined };
  const value = { ...stored.value, ...input.value } as T;
  const problems = schema.check(value);
  if (Object.keys(problems).length > 0) return { form: Form.withErrors(form, problems), value: undefined };
  return { ...input, form, value };
}

/** Returns a record as its form shows a new one. */
const newRecord = <T>(schema: Schema.RecordSchema<T>): Schema.Decoded<T> =>
  schema.decode(schema.fill().flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])));

const isSentIn = (form: Form): ((field: Form[number]) => boolean) => {
  const names = new Set(form.map(fieldOf));
  return (field) => names.has(fieldOf(field));
};

/** Returns the schema of a part of the fields of a record, without its `validate`. */
function partOf(
  schema: Pick<Schema.RecordSchema<unknown>, "fields" | "field">,
  isPart: (name: string) => boolean,
): Schema.RecordSchema<Readonly<Record<string, unknown>>> {
  const names = schema.fields.filter(isPart);
  return Schema.record(Object.fromEntries(names.map((name) => [name, schema.field(name) as Schema.Member])));
}
