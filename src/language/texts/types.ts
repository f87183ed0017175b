import type { ComponentTexts } from "./en/components.ts";
import type { ResponseTexts } from "./en/responses.ts";
import type { SchemaTexts } from "./en/schema.ts";
import type { ServiceTexts } from "./en/services.ts";

/**
 * Messages of errors with a status below 500 by code: a text, or a function of the values of the English message. An error without
 * one keeps its English message.
 */
export type ErrorTexts = Readonly<Record<string, string | ((...values: never[]) => string)>>;

/** Texts of limmat that visitors and recipients of mails see, in one language. */
export interface FrameworkTexts {
  readonly schema: SchemaTexts;
  readonly components: ComponentTexts;
  readonly responses: ResponseTexts;
  readonly services: ServiceTexts;
  readonly errors: ErrorTexts;
}

/** Messages of fields, lists and records, and what their language needs to read and show decimals. */
export interface SchemaMessages extends SchemaTexts {
  /** Separator before the fraction of a decimal, as forms take and show it. JSON has the point. */
  readonly decimalSeparator: "." | ",";
}

/** Texts of the framework in a language of the application. */
export interface LanguageTexts extends FrameworkTexts {
  readonly schema: SchemaMessages;
}
