import * as FormFunctions from "./form.ts";

export * as Schema from "./schema.ts";

/** Form: the input and the error message of each field. Also the namespace of the functions on forms. */
export const Form: typeof FormFunctions = FormFunctions;
export type Form = FormFunctions.Form;
export type { FormField } from "./form.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { Composite, Member } from "./composite.ts";
export type { Field } from "./field.ts";
export type { Form as FormValue } from "./form.ts";
export type { Decoded } from "./json-schema.ts";
export type { ListSchema } from "./list.ts";
export type { PartialSchema, RecordOf, RecordSchema } from "./record.ts";
