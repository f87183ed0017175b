import { LanguageInternals } from "../language/index.ts";

/** Messages of fields, lists and records in one language: the group `schema` of its texts, with its decimal separator. */
export interface Messages extends LanguageInternals.SchemaMessages {}

/** Returns the messages in the language of the current context. */
export const messages = (): Messages => LanguageInternals.frameworkTexts().schema;
