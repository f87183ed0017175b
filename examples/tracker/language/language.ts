import { Language } from "limmat";
import { de as frameworkTexts } from "limmat/language/de";
import { de } from "./de.ts";
import { en } from "./en.ts";

/** Languages of the tracker. */
export const language = Language.make("en", { en, de }, { framework: { de: frameworkTexts } });

/** Texts in the language of the current request. Read them in functions: a constant keeps the base language. */
export const { text } = language;
