import { type ContextOptions, error, ok, type Result, Service } from "../../../core/index.ts";
import {
  type Database,
  isTaken,
  prepareSearchRequest,
  Row,
  runSearchRequest,
  sql,
  type Statement,
} from "../../../database/index.ts";
import { Random } from "../../../random/index.ts";
import { Schema } from "../../../schema/index.ts";
import { Time } from "../../../time/index.ts";
import type { EmailTemplate, TemplateErrors, TemplateInput, TemplateService } from "./contract.ts";
import { migrations } from "./migrations.ts";

/** Characters of the column. */
const longestLanguage = 35;

/** What the service of the templates is made of. */
export interface TemplatesOptions {
  readonly database: Database;
  /** Its name among the services. Default `email-templates`. */
  readonly name?: string;
}

const row = Row.record({
  id: Row.uuid,
  label: Row.text,
  language: Row.text,
  subject: Row.text,
  text: Row.text,
  html: Row.text,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});
const columns = sql.columns(row);

const request = prepareSearchRequest({
  from: sql`email_templates`,
  row,
  filter: ["label", "subject"],
  sort: ["label", "created_at"],
});

/**
 * A service that keeps templates of mails in the table `email_templates` of a database. Its operations join the transaction
 * around them, and take the pool that `ctx` names.
 *
 * @example
 * export const template = Email.templates({ database });
 */
export function templates({ database, name = "email-templates" }: TemplatesOptions): TemplateService {
  // In a transaction of its own: after a label that is taken the one around it goes on.
  const change = (statement: Statement<unknown>, options?: ContextOptions): Promise<number> =>
    database.transaction(() => database.exec(statement), options);

  const service: TemplateService = {
    ...Service.make({ name, implementation: "sql", dependencies: () => [database] }),
    migrations: [migrations],
    find: async (id, options) =>
      Schema.isUuid(id)
        ? database.findOpt(sql.row(row)`select ${columns} from email_templates where id = ${id}`, options)
        : undefined,
    findByLabel: async (label, { language = "", ctx } = {}) => {
      const wanted = wider(language);
      const found = await database.collect(
        sql.row(
          row,
        )`select ${columns} from email_templates where label = ${label} and ${sql.in(sql`language`, wanted)}`,
        ctx === undefined ? {} : { ctx },
      );
      return found.toSorted((a, b) => wanted.indexOf(a.language) - wanted.indexOf(b.language))[0];
    },
    search: ({ sort = "asc", ...query } = {}, options) =>
      runSearchRequest(database, request, { ...query, sort }, options),
    insert: async (input, options) => {
      const now = Time.now();
      const template: EmailTemplate = { ...picked(input), id: Random.uuid(), created_at: now, updated_at: now };
      try {
        await change(
          sql`insert into email_templates (id, label, language, subject, text, html, created_at, updated_at)
            values (${template.id}, ${template.label}, ${template.language}, ${template.subject}, ${template.text},
              ${template.html}, ${now}, ${now})`,
          options,
        );
      } catch (failure) {
        return taken(failure);
      }
      return ok(template);
    },
    update: async (id, input, options) => {
      if (!Schema.isUuid(id)) return noTemplate;
      const { label, language, subject, text, html } = input;
      try {
        await change(
          sql`update email_templates set label = ${label}, language = ${language}, subject = ${subject}, text = ${text},
            html = ${html}, updated_at = ${Time.now()} where id = ${id}`,
          options,
        );
      } catch (failure) {
        return taken(failure);
      }
      const template = await service.find(id, options);
      return template === undefined ? noTemplate : ok(template);
    },
    delete: async ({ id }, options) => {
      if (!Schema.isUuid(id)) return ok();
      await database.exec(sql`delete from email_templates where id = ${id}`, options);
      return ok();
    },
  };
  return service;
}

const noTemplate = error<TemplateErrors>({ id: "There is no such template" });

/** `de-CH`, `de` and none. What is longer than any language of a template may come from a header, and is cut. */
function wider(language: string): readonly string[] {
  const parts = language.slice(0, longestLanguage + 1).split("-");
  const languages = parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
  return language === "" ? [""] : [...languages, ""];
}

const picked = ({ label, language, subject, text, html }: TemplateInput): TemplateInput => ({
  label,
  language,
  subject,
  text,
  html,
});

function taken(failure: unknown): Result<never, TemplateErrors> {
  if (isTaken(failure, "label", "language")) return error({ label: "There is one for this language already" });
  throw failure;
}
