import { Form, type FormField, type Schema } from "../../schema/index.ts";
import { isObject, ownValue } from "../names.ts";
import { showsErrorDetails } from "../errors/failure.ts";
import { type FormEntries, isForm, isJson, type Request } from "../../http/message/index.ts";
import type { MaybePromise } from "./contract.ts";
import { LanguageInternals } from "../../language/index.ts";
import { isVersion } from "./version.ts";
import { suggest } from "../../core/index.ts";
import { Log } from "../../log/index.ts";

/** Input of a request: the decoded value, and the form with its errors, which an edit page shows again. */
export interface Input<T> {
  readonly form: Form;
  readonly value: T | undefined;
  /** True if a PATCH request has no field: the item stays as it is, with its version. Default false. */
  readonly isEmpty?: boolean;
}

/** Functions of a schema that read requests. A schema of another library may be asynchronous, and reads no forms. */
export interface InputSchema<T> extends Pick<
  Schema.RecordSchema<T>,
  "fields" | "field" | "check" | "decode" | "decodePartial" | "fill"
> {
  readonly decodeJson: (body: unknown) => MaybePromise<Input<T>>;
  readonly decodeJsonPartial: (body: unknown, item: Partial<T>) => MaybePromise<Input<Partial<T>>>;
  /** Optional properties, `undefined`, that a decoded value of another library lacks if they were not sent. */
  readonly absent?: Partial<T>;
}

/** Reads all fields from a form or a JSON body. @throws E_CONTENT_TYPE, E_BODY_MALFORMED and other errors of bodies */
export function readInput<T>(request: Request, schema: InputSchema<T>): MaybePromise<Input<T>> {
  return isJson(request.header("content-type"))
    ? readJson(request, schema.fields).then((body) => schema.decodeJson(body))
    : request.withForm((entries) => schema.decode(entries));
}

/** Reads all fields of a PUT request, which replaces an item: a property that was not sent is `undefined`. Throws like `readInput`. */
export async function readReplacement<T>(request: Request, schema: InputSchema<T>): Promise<Input<T>> {
  const input = await readInput(request, schema);
  return { ...input, value: input.value && { ...schema.absent, ...input.value } };
}

/** Reads a JSON body. In development, logs its properties that are no fields: a misspelt one has no effect. */
function readJson(request: Request, fields: readonly string[]): Promise<unknown> {
  if (!showsErrorDetails()) return request.json();
  return request.json().then(async (body) => {
    if (isObject(body)) logUnknownProperties(request, body, fields);
    return body;
  });
}

/**
 * Reads the sent fields, and takes the others from the item. A list or record is replaced as a whole if a part of it was
 * sent. A JSON body with unknown properties, and none that is a field, is invalid. Throws like `readInput`.
 */
export async function readPartialInput<T>(request: Request, schema: InputSchema<T>, item: object): Promise<Input<T>> {
  const itemFields = fieldsOf(item, schema);
  const itemForm = schema.fill(itemFields as Readonly<Partial<T>>);
  const unchanged = { form: itemForm, value: itemFields as T, isEmpty: true };
  let changes: Input<Partial<T>>;
  if (isJson(request.header("content-type"))) {
    const body = await readJson(request, schema.fields);
    if (isObject(body) && !schema.fields.some((name) => Object.hasOwn(body, name))) {
      const form = unknownPropertiesForm(body, schema.fields);
      return form.length === 0 ? unchanged : { form, value: undefined };
    }
    changes = await schema.decodeJsonPartial(body, item);
  } else {
    changes = schema.decodePartial(chosenEntries(await request.form()));
    if (changes.form.length === 0) return unchanged;
  }
  const form = mergeForms(schema, itemForm, changes.form);
  if (changes.value === undefined) return { form, value: undefined };
  const value = { ...itemFields, ...changes.value } as T;
  const problems = schema.check(value);
  if (Object.keys(problems).length === 0) return { form, value };
  return { form: Form.withErrors(form, problems), value: undefined };
}

/** Prefix of the inputs of a conflict page that choose between the values of a field. */
export const choicePrefix = "_choice.";

/** Removes the fields whose stored value a person chose on a conflict page. */
export function chosenEntries(entries: FormEntries): FormEntries {
  const storedFields = new Set(
    entries.flatMap(([name, value]) =>
      name.startsWith(choicePrefix) && value === "stored" ? [name.slice(choicePrefix.length)] : [],
    ),
  );
  return storedFields.size === 0 ? entries : entries.filter(([name]) => !storedFields.has(fieldName(name)));
}

/** Waits for the body of a request, if it is JSON or a form. Throws like `readInput`. */
export async function receiveBody(request: Request): Promise<void> {
  const type = request.header("content-type");
  if (isJson(type)) await request.bytes();
  else if (isForm(type)) await request.form();
}

/** Reads `version` from a JSON body or a form. Returns `undefined` for other bodies, and for none. */
export async function readVersion(request: Request): Promise<number | "invalid" | undefined> {
  const type = request.header("content-type");
  if (isJson(type)) {
    if ((await request.bytes()).length === 0) return undefined;
    const body = await request.json();
    if (!isObject(body) || !Object.hasOwn(body, "version")) return undefined;
    const { version } = body;
    return isVersion(version) ? version : "invalid";
  }
  if (!isForm(type)) return undefined;
  const texts = (await request.form()).filter(([name]) => name === "version").map(([, text]) => text);
  const [text] = texts;
  if (text === undefined) return undefined;
  const version = Number(text);
  return texts.length === 1 && isVersion(version) && String(version) === text ? version : "invalid";
}

/** Returns the fields of a schema from an item. `null`, as databases return it, counts as absent. */
export function fieldsOf<T>(item: object, schema: Pick<InputSchema<T>, "fields">): Partial<T> {
  const record = item as Readonly<Record<string, unknown>>;
  const pairs = schema.fields.map((name) => [name, ownValue(record, name) ?? undefined]);
  return Object.fromEntries(pairs) as Partial<T>;
}

function mergeForms<T>(schema: Pick<InputSchema<T>, "fields">, form: Form, sent: Form): Form {
  const itemEntries = Map.groupBy(form, fieldOf);
  const sentEntries = Map.groupBy(sent, fieldOf);
  // The empty name has the errors of the whole, which a schema of another library can report.
  return [...schema.fields, ""].flatMap((name) => sentEntries.get(name) ?? itemEntries.get(name) ?? []);
}

/** Returns the schema field of a form entry: `lines` for `lines.0.title`. */
export const fieldOf = ([name]: FormField): string => fieldName(name);

/** Returns the schema field of the full name of an input. */
export const fieldName = (name: string): string => name.split(".", 1)[0] as string;

/** Properties of the JSON form of an item that are not fields. Clients send them back with the item. */
const readOnlyProperties: readonly string[] = ["id", "version", "created_at", "updated_at"];

// The client decides how many names there are, and how long they are.
const maxNames = 10;
const maxNameLength = 64;

const log = Log.source("limmat.http");

/** Logs the unknown properties of a JSON body in one line, each with the most similar field. */
function logUnknownProperties(request: Request, body: object, fields: readonly string[]): void {
  const names = unknownNames(body, fields);
  if (names.length === 0) return;
  const { method, path } = request;
  const list = names.map((name) => {
    const field = similarField(name, fields);
    return `"${name.slice(0, maxNameLength)}"${field === undefined ? "" : ` (did you mean "${field}"?)`}`;
  });
  log.warning(`Unknown properties in the body of ${method} ${path}: ${list.join(", ")}`, { method, path });
}

/** Returns a form with an error for each unknown property of a JSON body. */
function unknownPropertiesForm(body: object, fields: readonly string[]): Form {
  const { unknownProperty } = LanguageInternals.frameworkTexts().components;
  return unknownNames(body, fields).map((name) => [name, undefined, unknownProperty(similarField(name, fields))]);
}

function unknownNames(body: object, fields: readonly string[]): readonly string[] {
  const knownNames = new Set([...fields, ...readOnlyProperties]);
  return Object.keys(body)
    .filter((name) => !knownNames.has(name))
    .slice(0, maxNames);
}

function similarField(name: string, fields: readonly string[]): string | undefined {
  return name.length > maxNameLength ? undefined : suggest(name, fields)[0];
}
