import type { StandardSchemaV1 } from "@standard-schema/spec";
import { failure } from "../errors/failure.ts";
import type { Input } from "../rest/input.ts";
import { validateStandard } from "../rest/standard-schema.ts";
import { Form, type Schema } from "../../schema/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import type { FormEntries, Request } from "../../http/message/index.ts";

/**
 * Reads the query string of a request by a schema: a record, or an object schema of any library that follows Standard Schema
 * (https://standardschema.dev). Such a schema gets texts, and a list of texts for a repeated parameter: it has to convert
 * them, as `z.coerce.number()` does. Decimals have the point in each language, as in links.
 *
 * Rejects with 400 and the messages by parameter if the query does not match, and with E_TOO_MANY_PARAMETERS.
 *
 * @example
 * const search = Schema.record({ word: Schema.string(), page: Schema.int({ default: 1 }) });
 * const { word, page } = await Web.decodeQuery(request, search);
 */
export async function decodeQuery<T>(
  request: Pick<Request, "query">,
  schema: StandardSchemaV1<unknown, T>,
): Promise<T> {
  const entries = [...request.query];
  return isRecordSchema<T>(schema)
    ? valueOf(
        schema.decode(entries, { ...LanguageInternals.frameworkTexts().schema, decimalSeparator: "." }),
        400,
        "invalidQuery",
      )
    : valueOf(await validateStandard(schema, fieldsOf(entries)), 400, "invalidQuery");
}

/**
 * Reads the JSON body of a request by a schema, as `decodeQuery` does the query. Rejects with 422 and the messages by property if
 * the body does not match, and with the errors of `Request.json`.
 */
export async function decodeJson<T>(request: Pick<Request, "json">, schema: StandardSchemaV1<unknown, T>): Promise<T> {
  return valueOf(await validateStandard(schema, await request.json()), 422, "invalidBody");
}

/** Returns true for a record schema, which reads a query like a form: an absent bool is false, not its default. */
export function isRecordSchema<T>(schema: object): schema is Schema.RecordSchema<T> {
  return (schema as Partial<StandardSchemaV1>)["~standard"]?.vendor === "limmat" && "decode" in schema;
}

function valueOf<T>({ form, value }: Input<T>, status: number, text: "invalidQuery" | "invalidBody"): T {
  const errors = Form.errors(form);
  const [first] = Object.entries(errors);
  if (first === undefined) return value as T;
  const [name, message] = first;
  throw failure(
    status,
    LanguageInternals.frameworkTexts().schema[text](name === "" ? message : `${name}: ${message}`),
    { errors },
  );
}

/** Returns the parameters by name. `__proto__` is left out, as in JSON bodies. */
function fieldsOf(entries: FormEntries): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string | readonly string[]>();
  for (const [name, value] of entries) {
    const before = fields.get(name);
    if (name !== "__proto__") fields.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}
