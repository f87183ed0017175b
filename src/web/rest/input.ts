import { Form, type FormField, type Schema } from "../../schema/index.ts";
import { isJson, type Request } from "../../http/message/index.ts";

/** Input of a request: the decoded value, and the form with its errors, which an edit page shows again. */
export interface Input<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/**
 * Reads all fields from a form or a JSON body.
 *
 * @throws E_CONTENT_TYPE, E_BODY_MALFORMED and other errors of reading a body
 */
export async function readInput<T>(request: Request, schema: Schema.RecordSchema<T>): Promise<Input<T>> {
  return isJson(request.header("content-type"))
    ? schema.decodeJson(await request.json())
    : schema.decode(await request.form());
}

/**
 * Reads the sent fields, and takes the others from the item. A list or record is replaced as a whole if a part of it was
 * sent. Throws like `readInput`.
 */
export async function readPartialInput<T>(
  request: Request,
  schema: Schema.RecordSchema<T>,
  item: object,
): Promise<Input<T>> {
  const itemFields = fieldsOf(item, schema);
  const changes = isJson(request.header("content-type"))
    ? schema.decodeJsonPartial(await request.json())
    : schema.decodePartial(await request.form());
  const form = mergeForms(schema, schema.fill(itemFields), changes.form);
  if (changes.value === undefined) return { form, value: undefined };
  const value = { ...itemFields, ...changes.value } as T;
  const problems = schema.check(value);
  return Object.keys(problems).length === 0
    ? { form, value }
    : { form: Form.withErrors(form, problems), value: undefined };
}

/** Returns the fields of a schema from an item. `null`, as databases return it, counts as absent. */
export function fieldsOf<T>(item: object, schema: Schema.RecordSchema<T>): Partial<T> {
  const record = item as Readonly<Record<string, unknown>>;
  const pairs = schema.fields.map((name) => [
    name,
    Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined,
  ]);
  return Object.fromEntries(pairs) as Partial<T>;
}

/** Merges the form of the item with the sent fields. */
function mergeForms<T>(schema: Schema.RecordSchema<T>, form: Form, sent: Form): Form {
  const itemEntries = Map.groupBy(form, fieldOf);
  const sentEntries = Map.groupBy(sent, fieldOf);
  return schema.fields.flatMap((name) => sentEntries.get(name) ?? itemEntries.get(name) ?? []);
}

/** Returns the schema field of a form entry: `lines` for `lines.0.title`. */
const fieldOf = ([name]: FormField): string => name.split(".", 1)[0] as string;
