export { bindIterable, enter, iterateIn, leave, type Locale, runInLocale, timeZoneFinder } from "./context.ts";
export type { ComponentTexts } from "./texts/en/components.ts";
export type { QueryRule, QueryTexts } from "./texts/en/schema.ts";
export type { InnerText } from "./texts/framework-texts.ts";
export type { SchemaMessages } from "./texts/types.ts";
export { englishTexts, errorMessage, frameworkLanguage, frameworkTexts } from "./texts/framework-texts.ts";
export type { MailText, ServiceTexts } from "./texts/en/services.ts";
