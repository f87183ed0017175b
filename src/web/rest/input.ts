import { Form, type FormField, type Schema } from "../../schema/index.ts";
import { isJson, type Request } from "../../http/message/index.ts";

/** What a request sent: the value, or the form that says what is wrong. The form is what an edit page shows again. */
export interface Input<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/**
 * Reads all fields from a form or a JSON body.
 *
 * @throws E_CONTENT_TYPE, E_BODY_MALFORMED and what else reading a body throws.
 */
export async function readAll<T>(request: Request, schema: Schema.RecordSchema<T>): Promise<Input<T>> {
  return isJson(request.header("content-type"))
    ? schema.decodeJson(await request.json())
    : schema.decode(await request.form());
}

/**
 * Reads the fields that were sent, and takes the others from the item. A list or a record of which anything was sent is
 * replaced as a whole. Throws as `readAll`.
 */
export async function readOver<T>(request: Request, schema: Schema.RecordSchema<T>, item: object): Promise<Input<T>> {
  const kept = fieldsOf(item, schema);
  const sent = isJson(request.header("content-type"))
    ? schema.decodeJsonPartial(await request.json())
    : schema.decodePartial(await request.form());
  const form = overlay(schema, schema.fill(kept), sent.form);
  if (sent.value === undefined) return { form, value: undefined };
  const value = { ...kept, ...sent.value } as T;
  const problems = schema.check(value);
  return Object.keys(problems).length === 0
    ? { form, value }
    : { form: Form.withErrors(form, problems), value: undefined };
}

/** The fields of a schema in an item. A database's `null` is a field that is not there. */
export function fieldsOf<T>(item: object, schema: Schema.RecordSchema<T>): Partial<T> {
  const record = item as Readonly<Record<string, unknown>>;
  const pairs = schema.fields.map((name) => [
    name,
    Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined,
  ]);
  return Object.fromEntries(pairs) as Partial<T>;
}

/** The form of the item, with what was sent in place of what it has in the same fields. */
function overlay<T>(schema: Schema.RecordSchema<T>, form: Form, sent: Form): Form {
  const kept = Map.groupBy(form, fieldOf);
  const replaced = Map.groupBy(sent, fieldOf);
  return schema.fields.flatMap((name) => replaced.get(name) ?? kept.get(name) ?? []);
}

/** The field of the schema that an entry belongs to: `lines` for `lines.0.title`. */
const fieldOf = ([name]: FormField): string => name.split(".", 1)[0] as string;
