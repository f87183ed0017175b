import { lazy, type LimmatError } from "../../core/index.ts";
import { current, textsIn } from "../context.ts";
import { en } from "./en/index.ts";
import type { FrameworkTexts, LanguageTexts } from "./types.ts";

function textsOf(language: string, texts: FrameworkTexts): LanguageTexts {
  // Forms take the digits 0 to 9.
  const parts = new Intl.NumberFormat(language, { numberingSystem: "latn" }).formatToParts(0.5);
  const hasComma = parts.some(({ type, value }) => type === "decimal" && value === ",");
  return { ...texts, schema: { ...texts.schema, decimalSeparator: hasComma ? "," : "." } };
}

/** Texts of the framework in English, for languages without texts and for the messages of errors in logs. */
export const englishTexts: LanguageTexts = { ...en, schema: { ...en.schema, decimalSeparator: "." } };

/**
 * Returns functions that return the texts of the framework, by language of the application: `de-CH` takes those of `de` if it has none
 * of its own. They are made on first use.
 */
export function textsByLanguage(
  languages: readonly string[],
  texts: Readonly<Record<string, FrameworkTexts | undefined>>,
): ReadonlyMap<string, () => LanguageTexts> {
  const find = (language: string): FrameworkTexts | undefined => {
    const [primary = ""] = language.split("-");
    return texts[language] ?? texts[primary] ?? (primary === "en" ? en : undefined);
  };
  return new Map(
    languages.flatMap((language) => {
      const found = find(language);
      return found === undefined ? [] : [[language, lazy(() => textsOf(language, found))]];
    }),
  );
}

/** Returns the texts of the framework in the current language, otherwise in English. */
export const frameworkTexts = (): LanguageTexts => textsIn(current()) ?? englishTexts;

/** Returns the language of `frameworkTexts()`: the current one if it has texts, otherwise `en`. */
export const frameworkLanguage = (): string => (textsIn(current()) === undefined ? "en" : current());

/** Text of the framework within the message of an error: a function of the texts of a language. */
export type InnerText = (texts: FrameworkTexts) => string;

/** Returns the message of an error in the current language. A value that is an `InnerText` is in this language too. */
export function errorMessage(error: LimmatError): string {
  const texts = frameworkTexts();
  const text = texts.errors[error.code];
  if (text === undefined) return error.message;
  if (typeof text === "string") return text;
  const values = error.values.map((value) => (typeof value === "function" ? (value as InnerText)(texts) : value));
  return text(...(values as never[]));
}
