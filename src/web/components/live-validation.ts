import { httpErrors, type Request, Response } from "../../http/message/index.ts";
import { put, type Router } from "../../http/router/index.ts";
import type { Form, Schema } from "../../schema/index.ts";
import { field } from "./field.ts";
import { describeFieldOpt } from "./field-description.ts";
import type { FieldsOptions, FormFieldOptions } from "./field-frame.ts";
import type { FormOfOptions } from "./form.ts";
import { type FieldName, ownValue } from "../names.ts";

/** Options of a live validation: those with which `formOf` renders the fields. `validateUrl` is the path by default. */
export type ValidationOptions<T> = Pick<FormOfOptions<T>, "fields" | "field" | "idPrefix" | "texts" | "validateUrl">;

/**
 * Creates the route of a live validation: `PUT <path>/<field>`. When a field with the option `validateUrl` changes, HTMX 4
 * sends the form there, and shows the answer instead of the field. Without a script, it is checked when it is sent.
 *
 * The route decodes the form by the schema and does nothing else, so it reveals nothing that the form does not: not if an
 * address has an account. It answers with the changed field alone, and never with the input of a sensitive field. A field
 * that the schema does not have, or that the options leave out, is E_NOT_FOUND (404).
 *
 * The options are a function if they depend on the request or on data, such as the choices of a field.
 *
 * @example
 * validationRoute("/books/validate", schema, { fields });
 */
export function validationRoute<T>(
  path: string,
  schema: Schema.RecordSchema<T>,
  options: ValidationOptions<T> | ((request: Request) => ValidationOptions<T> | Promise<ValidationOptions<T>>) = {},
): Router {
  return put(`${path}/:field`, async (request) => {
    const name = (request.params as { readonly field: string }).field;
    if (describeFieldOpt(schema, name) === undefined) throw httpErrors.E_NOT_FOUND();
    const { form } = schema.decode(await request.form());
    const formOptions = typeof options === "function" ? await options(request) : options;
    const { fields, field: renderField = field, ...common } = formOptions;
    const fieldOptions = optionsOf(fields, name.split("."));
    if (fieldOptions === false) throw httpErrors.E_NOT_FOUND();
    // `describeFieldOpt` has checked the name.
    const shownOptions = { validateUrl: path, ...common, ...fieldOptions };
    const page = renderField(schema, withErrorsOf(form, name), name as FieldName<T>, shownOptions);
    return Response.html(page, { headers: { "cache-control": "no-store" } });
  });
}

/** Returns the options of a field by its full name; those of the rows of a list are the same. */
function optionsOf(fields: object | undefined, [first = "", ...rest]: readonly string[]): FormFieldOptions | false {
  if (/^[0-9]+$/.test(first)) return rest.length === 0 ? {} : optionsOf(fields, rest);
  const options = ownValue(fields as FieldsOptions, first) ?? {};
  return rest.length === 0 || options === false ? options : optionsOf(options.fields, rest);
}

/** Removes the errors of other fields: the user may not have reached them yet. */
function withErrorsOf(form: Form, name: string): Form {
  const isOfField = (key: string): boolean => key === name || key.startsWith(`${name}.`);
  return form.map(([key, input, error]) => [key, input, isOfField(key) ? error : undefined]);
}
