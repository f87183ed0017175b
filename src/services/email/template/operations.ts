import { type ContextOptions, error, ok, type Result } from "../../../core/index.ts";
import { type Database, isUniqueViolation, Row, sql, type Statement } from "../../../database/index.ts";
import { type MigratedService } from "../../../migration/index.ts";
import { prepareSearchRequest, runSearchRequest } from "../../../table/search/index.ts";
import { Random } from "../../../random/index.ts";
import { Schema } from "../../../schema/index.ts";
import { Time } from "../../../time/index.ts";
import type { EmailTemplate, TemplateInput, TemplateService } from "./contract.ts";

/** Length of the column `language`. */
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

/** Operations of the templates, without the members of a service. */
type TemplateOperations = Omit<TemplateService, keyof MigratedService>;

/** Creates the operations of the service on a database. */
export function templateOperations(database: Database): TemplateOperations {
  // A nested transaction: a unique violation does not abort the surrounding one.
  const runChange = (statement: Statement<unknown>, options?: ContextOptions): Promise<number> =>
    database.transaction(() => database.exec(statement), options);

  const templates: TemplateOperations = {
    find: async (id, options) =>
      Schema.isUuid(id)
        ? database.findOpt(
            sql.row(templateRow)`select ${templateColumns} from email_templates where id = ${id}`,
            options,
          )
        : undefined,
    findByLabel: async (label, { language = "", ctx } = {}) => {
      const languages = fallbackLanguages(language);
      const candidates = await database.collect(
        sql.row(
          templateRow,
        )`select ${templateColumns} from email_templates where label = ${label} and ${sql.in(sql`language`, languages)}`,
        ctx === undefined ? {} : { ctx },
      );
      return candidates.toSorted((a, b) => languages.indexOf(a.language) - languages.indexOf(b.language))[0];
    },
    search: ({ sort = "asc", ...query } = {}, options) =>
      runSearchRequest(database, searchRequest, { ...query, sort }, options),
    insert: async (input, options) => {
      const now = Time.now();
      const template: EmailTemplate = { ...pickInput(input), id: Random.uuid(), created_at: now, updated_at: now };
      try {
        await runChange(
          sql`insert into email_templates (id, label, language, subject, text, html, created_at, updated_at)
            values (${template.id}, ${template.label}, ${template.language}, ${template.subject}, ${template.text},
              ${template.html}, ${now}, ${now})`,
          options,
        );
      } catch (failure) {
        return toDuplicateError(failure);
      }
      return ok(template);
    },
    update: async (id, input, options) => {
      if (!Schema.isUuid(id)) return unknownTemplate;
      const { label, language, subject, text, html } = input;
      try {
        await runChange(
          sql`update email_templates set label = ${label}, language = ${language}, subject = ${subject}, text = ${text},
            html = ${html}, updated_at = ${Time.now()} where id = ${id}`,
          options,
        );
      } catch (failure) {
        return toDuplicateError(failure);
      }
      const template = await templates.find(id, options);
      return template === undefined ? unknownTemplate : ok(template);
    },
    delete: async ({ id }, options) => {
      if (!Schema.isUuid(id)) return ok();
      await database.exec(sql`delete from email_templates where id = ${id}`, options);
      return ok();
    },
  };
  return templates;
}

const unknownTemplate = error<Readonly<Record<string, string>>>({ id: "There is no such template" });

/** Returns the languages to look up: `de-CH`, `de` and the empty default. Truncated: the value may come from a header. */
function fallbackLanguages(language: string): readonly string[] {
  const parts = language.slice(0, maxLanguageLength + 1).split("-");
  const languages = parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
  return language === "" ? [""] : [...languages, ""];
}

const pickInput = ({ label, language, subject, text, html }: TemplateInput): TemplateInput => ({
  label,
  language,
  subject,
  text,
  html,
});

function toDuplicateError(failure: unknown): Result<never, Readonly<Record<string, string>>> {
  if (isUniqueViolation(failure, "label", "language"))
    return error({ label: "This label already has a template in this language" });
  throw failure;
}
