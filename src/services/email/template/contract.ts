import type { ContextOptions, Result } from "../../../core/index.ts";
import type { MigratedService } from "../../../migration/index.ts";
import type { Html } from "../../../html/index.ts";

/** Content of a template. `{name}` is a placeholder for a value. */
export interface TemplateInput {
  /** Key by which the application finds the template, such as `welcome`. */
  readonly label: string;
  /** Language, such as `de` or `de-CH` (BCP 47). Empty: the default for languages without a template. */
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  /** HTML body. Empty: mails have plain text only. */
  readonly html: string;
}

/** A stored template. */
export interface EmailTemplate extends TemplateInput {
  /** UUID v4. */
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A template with its values inserted. Spread it into a message. */
export interface RenderedTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html?: Html;
}

/** Query of `TemplateService.search`. */
export interface TemplateQuery {
  /** Order by label and language. Default `asc`. */
  readonly sort?: "asc" | "desc" | undefined;
  /** Text that the label or subject must contain, ignoring ASCII case. */
  readonly filter?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * Templates that users edit while the application runs. A resource service: `Web.Rest.resourceOfService` makes pages for it,
 * with `Email.Template.schema`.
 */
export interface TemplateService extends MigratedService {
  /** Returns the template with an id, or `undefined`, as `Web.Rest.resourceOfService` requires. */
  find(id: string, options?: ContextOptions): Promise<EmailTemplate | undefined>;
  /**
   * Returns the template of a label for a language, by default the current one: that of `de-CH`, else `de`, else the default, else
   * `undefined`.
   */
  findByLabel(
    label: string,
    options?: ContextOptions & { readonly language?: string },
  ): Promise<EmailTemplate | undefined>;
  /** Returns a page of templates and the total number of matches. @throws E_SEARCH (400) */
  search(
    query?: TemplateQuery,
    options?: ContextOptions,
  ): Promise<readonly [templates: readonly EmailTemplate[], total: number]>;
  /** Adds a template. Returns errors by field, such as a label that already has a template in the language. */
  insert(
    input: TemplateInput,
    options?: ContextOptions,
  ): Promise<Result<EmailTemplate, Readonly<Record<string, string>>>>;
  /** Replaces a template. Returns errors by field, as `insert` does, also for an unknown id. */
  update(
    id: string,
    input: TemplateInput,
    options?: ContextOptions,
  ): Promise<Result<EmailTemplate, Readonly<Record<string, string>>>>;
  /** Deletes a template. Succeeds if it does not exist. */
  delete(template: Pick<EmailTemplate, "id">, options?: ContextOptions): Promise<Result<undefined, never>>;
}
