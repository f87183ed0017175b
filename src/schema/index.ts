import * as FormFunctions from "./form.ts";

export * as Schema from "./schema.ts";

/** What was typed into a form, and what is wrong with it, field by field; and the functions that look it up. */
export const Form: typeof FormFunctions = FormFunctions;
export type Form = FormFunctions.Form;
export type { FormField } from "./form.ts";
