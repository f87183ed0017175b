import { type ContextOptions, error, ok, type Result, Service } from "../../../core/index.ts";
import { type Database, isUniqueViolation, Row, sql, type Statement } from "../../../database/index.ts";
import { escape, unsafeHtml } from "../../../html/index.ts";
import { Language, LanguageInternals } from "../../../language/index.ts";
import { type MigratedService, Migration } from "../../../migration/index.ts";
import { Random } from "../../../random/index.ts";
import { Schema } from "../../../schema/index.ts";
import { prepareSearchRequest, runSearchRequest } from "../../../table/search/index.ts";
import { Time } from "../../../time/index.ts";
import { findLineProblem } from "../engine/headers.ts";
import { errors } from "../errors.ts";
import type { RenderedTemplate, TemplateInput, TemplateService } from "./contract.ts";

/** Options of `Email.Template.service`. */
export interface TemplatesOptions {
  readonly database: Database;
  /** Name of the service. Default `email-templates`. */
  readonly name?: string;
}

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

const maxLanguageLength = 35;

const templateRow = Row.record({
  id: Row.uuid,
  label: Row.text,
  language: Row.text,
  subject: Row.text,
  text: Row.text,
  html: Row.text,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});
const templateColumns = sql.columns(templateRow);

const searchRequest = prepareSearchRequest({
  from: sql`email_templates`,
  row: templateRow,
  filter: ["label", "subject"],
  sort: ["label", "created_at"],
});

function templateOperations(database: Database): Omit<TemplateService, keyof MigratedService> {
  const find: TemplateService["find"] = async (id, options) =>
    Schema.isUuid(id)
      ? database.findOpt(sql.row(templateRow)`select ${templateColumns} from email_templates where id = ${id}`, options)
      : undefined;

  const change = async (
    statement: Statement<unknown>,
    options: ContextOptions | undefined,
  ): Promise<Result<undefined, Readonly<Record<string, string>>>> => {
    try {
      // A nested transaction: a unique violation does not abort the surrounding one.
      await database.transaction(() => database.exec(statement), options);
      return ok();
    } catch (failure) {
      if (!isUniqueViolation(failure, "label", "language")) throw failure;
      return error({ label: mailTexts().templateTaken });
    }
  };

  return {
    find,
    findByLabel: async (label, { language = Language.current(), ctx } = {}) => {
      const languages = fallbackLanguages(language);
      const candidates = await database.collect(
        sql.row(templateRow)`select ${templateColumns} from email_templates
          where label = ${label} and ${sql.in(sql`language`, languages)}`,
        ctx === undefined ? {} : { ctx },
      );
      return candidates.toSorted((a, b) => languages.indexOf(a.language) - languages.indexOf(b.language))[0];
    },
    search: ({ sort = "asc", ...query } = {}, options) =>
      runSearchRequest(database, searchRequest, { ...query, sort }, options),
    insert: async ({ label, language, subject, text, html }, options) => {
      const id = Random.uuid();
      const now = Time.now();
      const inserted = await change(
        sql`insert into email_templates (id, label, language, subject, text, html, created_at, updated_at)
          values (${id}, ${label}, ${language}, ${subject}, ${text}, ${html}, ${now}, ${now})`,
        options,
      );
      return inserted.ok
        ? ok({ id, label, language, subject, text, html, created_at: now, updated_at: now })
        : inserted;
    },
    update: async (id, { label, language, subject, text, html }, options) => {
      if (!Schema.isUuid(id)) return unknownTemplate();
      const updated = await change(
        sql`update email_templates set label = ${label}, language = ${language}, subject = ${subject}, text = ${text},
          html = ${html}, updated_at = ${Time.now()} where id = ${id}`,
        options,
      );
      if (!updated.ok) return updated;
      const template = await find(id, options);
      return template === undefined ? unknownTemplate() : ok(template);
    },
    delete: async ({ id }, options) => {
      if (Schema.isUuid(id)) await database.exec(sql`delete from email_templates where id = ${id}`, options);
      return ok();
    },
  };
}

const unknownTemplate = (): Result<never, Readonly<Record<string, string>>> =>
  error({ id: mailTexts().templateUnknown });

/** Returns the languages to look up: `de-CH`, `de` and the empty default. Truncated: the value may come from a header. */
function fallbackLanguages(language: string): readonly string[] {
  const parts = language.slice(0, maxLanguageLength + 1).split("-");
  const languages = parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
  return language === "" ? [""] : [...languages, ""];
}

const mailTexts = (): LanguageInternals.ServiceTexts["email"] => LanguageInternals.frameworkTexts().services.email;

/** Schema of a template form. */
export const schema: Schema.RecordSchema<TemplateInput> = Schema.record({
  label: Schema.string({
    max: 128,
    validate: (label) => (/^[\w.-]+$/.test(label) ? undefined : mailTexts().templateLabel),
  }),
  language: Schema.string({
    max: maxLanguageLength,
    default: "",
    validate: (language) =>
      language === "" || /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i.test(language) ? undefined : mailTexts().templateLanguage,
  }),
  subject: Schema.string({
    validate: (subject) =>
      subject !== "" && findLineProblem(subject, 255) === undefined ? undefined : mailTexts().templateSubject,
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
