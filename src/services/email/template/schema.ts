import { Schema } from "../../../schema/index.ts";
import { lineProblem } from "../control.ts";
import type { TemplateInput } from "./contract.ts";

/** What a form for templates takes. */
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
        : "Please enter a language such as de or de-CH, or nothing",
  }),
  subject: Schema.string({
    validate: (subject) =>
      subject !== "" && lineProblem(subject, 255) === undefined ? undefined : "Please enter one line",
  }),
  text: Schema.text(),
  html: Schema.text({ default: "" }),
});
