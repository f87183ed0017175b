import { Service } from "../../../core/index.ts";
import type { Database } from "../../../database/index.ts";
import { Migration } from "../../../migration/index.ts";
import { escape, unsafeHtml } from "../../../html/index.ts";
import { Schema } from "../../../schema/index.ts";
import { findLineProblem } from "../engine/headers.ts";
import { errors } from "../errors.ts";
import type { RenderedTemplate, TemplateInput, TemplateService } from "./contract.ts";
import { templateOperations } from "./operations.ts";

/** Options of `Email.Template.service`. */
export interface TemplatesOptions {
  readonly database: Database;
  /** Name of the service. Default `email-templates`. */
  readonly name?: string;
}

/** Migration of the table of templates. */
const templateMigration = Migration.make("email", [
  Migration.step(
    "create table email_templates",
    ({ uuid, string, text, timestamp }) => `create table email_templates (
      id ${uuid} primary key,
      label ${string(128)} not null,
      language ${string(35)} not null,
      subject ${string(255)} not null,
      text ${text} not null,
      html ${text} not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      unique (label, language)
    )`,
    { down: "drop table email_templates" },
  ),
]);

/**
 * Makes a service that stores mail templates in the table `email_templates` of a database. Its operations take part in the
 * surrounding transaction and use the pool selected by `ctx`.
 *
 * @example
 * export const template = Email.Template.service({ database });
 */
export function service({ database, name = "email-templates" }: TemplatesOptions): TemplateService {
  return {
    ...Service.make({ name, implementation: "sql", dependencies: () => [database] }),
    migrations: [templateMigration],
    ...templateOperations(database),
  };
}

/** Schema of a template form. */
export const schema: Schema.RecordSchema<TemplateInput> = Schema.record({
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

/**
 * Inserts values into a template, for `send`. Every `{name}` is replaced once: placeholders inside values stay. Values are
 * escaped in HTML. Other braces, such as in styles, stay.
 *
 * @throws E_EMAIL_TEMPLATE_VALUE if a value is missing.
 * @example
 * await email.send({ recipient: user.email, ...Email.Template.render(template, { name: user.name, link }) });
 */
export function render(
  template: Pick<TemplateInput, "label" | "subject" | "text" | "html">,
  values: Readonly<Record<string, string | number>>,
): RenderedTemplate {
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replaceAll(/\{([a-z_]\w*)\}/gi, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw errors.E_EMAIL_TEMPLATE_VALUE(template.label, name);
      return encode(String(value));
    });
  return {
    // A subject must be one line, but values may have several.
    subject: fill(template.subject, (value) => value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")),
    text: fill(template.text, (value) => value),
    // The HTML of the template is trusted; the values are escaped.
    ...(template.html === "" ? {} : { html: unsafeHtml(fill(template.html, escape)) }),
  };
}
