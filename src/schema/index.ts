import * as FormFunctions from "./form.ts";

export * as Schema from "./schema.ts";

/** Form: the input and the error message of each field. Also the namespace of the functions on forms. */
export const Form: typeof FormFunctions = FormFunctions;
export type Form = FormFunctions.Form;
export type { FormField } from "./form.ts";
