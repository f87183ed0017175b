import type { ContextOptions, Result, Service } from "../../../core/index.ts";
import type { Migration } from "../../../database/index.ts";
import type { Html } from "../../../html/index.ts";

/** What somebody writes into a template. `{name}` stands for a value. */
export interface TemplateInput {
  /** What the application calls it: `welcome`. */
  readonly label: string;
  /** The language that it is written in, such as `de` or `de-CH` (BCP 47); empty: for all that have none of their own. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  /** A page, or empty: then mails have the text only. */
  readonly html: string;
}

/** A stored template. */
export interface EmailTemplate extends TemplateInput {
  /** UUID v4. */
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What a template becomes with its values: to be spread into a message. */
export interface RenderedTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html?: Html;
}

/** What is looked for among the templates. */
export interface TemplateQuery {
  /** By label and language. Default `asc`. */
  readonly sort?: "asc" | "desc" | undefined;
  /** A text that label or subject must contain, ignoring ASCII case. */
  readonly filter?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * Templates that people edit while the application runs. It is a resource service: `Web.Rest.resourceOfService` makes
 * pages of it, with `Email.templateSchema`.
 */
export interface TemplateService extends Service.Service {
  readonly migrations: readonly Migration.Migration[];
  /** The template of an id, or `undefined`. */
  find(id: string, options?: ContextOptions): Promise<EmailTemplate | undefined>;
  /**
   * The template of a label in a language: `de-CH`, else `de`, else that for all languages, else `undefined`. Without a
   * language that for all languages.
   */
  findByLabel(
    label: string,
    options?: ContextOptions & { readonly language?: string },
  ): Promise<EmailTemplate | undefined>;
  /**
   * A page of templates and how many match in all.
   *
   * @throws E_SEARCH (400)
   */
  search(
    query?: TemplateQuery,
    options?: ContextOptions,
  ): Promise<readonly [templates: readonly EmailTemplate[], total: number]>;
  /** Adds a template, or says what is wrong with it: by field, such as a label that has a template in the language. */
  insert(input: TemplateInput, options?: ContextOptions): Promise<Result<EmailTemplate, TemplateErrors>>;
  /** Replaces a template, or says what is wrong, as `insert` does. An unknown id is wrong, too. */
  update(id: string, input: TemplateInput, options?: ContextOptions): Promise<Result<EmailTemplate, TemplateErrors>>;
  /** Deletes a template; one that is gone already, too. */
  delete(template: Pick<EmailTemplate, "id">, options?: ContextOptions): Promise<Result<undefined, never>>;
}

/** What is wrong with a template, by field. */
export type TemplateErrors = Readonly<Record<string, string>>;
