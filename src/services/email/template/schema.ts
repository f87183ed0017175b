import { Schema } from "../../../schema/index.ts";
import { findLineProblem } from "../engine/control-characters.ts";
import type { TemplateInput } from "./contract.ts";

/** Schema of a template form. */
export const templateSchema: Schema.RecordSchema<TemplateInput> = Schema.record({
  label: Schema.string({
    max: 128,
    validate: (label) => (/^[\w.-]+$/.test(label) ? undefined : "Please use letters, digits, dots and hyphens"),
  }),
  language: Schema.string({
    max: 35,
    default: "",
    validate: (language) =>
      language === "" || /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i.test(language)
        ? undefined
        : "Please enter a language such as de or de-CH, or leave it empty",
  }),
  subject: Schema.string({
    validate: (subject) =>
      subject !== "" && findLineProblem(subject, 255) === undefined ? undefined : "Please enter one line",
  }),
  text: Schema.text(),
  html: Schema.text({ default: "" }),
});
