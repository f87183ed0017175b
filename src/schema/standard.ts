import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { errors as errorsOf, type Form } from "./form.ts";
import { type JsonSchemaPair, standardConverter } from "./json-schema.ts";

/** Result of decoding: the form to show again, and the value, or `undefined` if there are errors. */
export interface Decoded<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/** Properties of a Standard Schema and a Standard JSON Schema, both version 1: <https://standardschema.dev>. */
export interface StandardProps<T> extends StandardSchemaV1.Props<T>, StandardJSONSchemaV1.Props<T> {}

/** Returns the Standard Schema properties of a JSON decoder. */
export function standardSchemaProps<T>(
  decodeJson: (body: unknown) => Decoded<T>,
  jsonSchema: JsonSchemaPair,
): StandardProps<T> {
  return {
    version: 1,
    vendor: "limmat",
    validate: (body) => {
      const { form, value } = decodeJson(body);
      if (value !== undefined) return { value };
      return { issues: Object.entries(errorsOf(form)).map(([name, message]) => ({ message, path: issuePath(name) })) };
    },
    jsonSchema: standardConverter(jsonSchema),
  };
}

/** Returns the path of a full name, with the indices of items as numbers. */
function issuePath(name: string): readonly PropertyKey[] {
  if (name === "") return [];
  return name.split(".").map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
}
