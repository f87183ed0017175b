import { AsyncLocalStorage } from "node:async_hooks";

/** Language and time zone of the person for whom the current code runs. */
export interface Locale {
  /** Language tag of a catalogue (BCP 47): `de`. */
  readonly language: string;
  /** IANA name: `Europe/Zurich`. */
  readonly timeZone?: string | undefined;
}

/** Locale of the current asynchronous context. */
export const contextLocale: AsyncLocalStorage<Locale> = new AsyncLocalStorage({ name: "limmat.language" });

const defaults: { language: string } = { language: "en" };

/** Sets the language outside of all contexts: the base language of the application. */
export function setDefaultLanguage(language: string): void {
  defaults.language = language;
}

/** Returns the language of the current request or of `run`, otherwise the base language of the application. */
export const current = (): string => contextLocale.getStore()?.language ?? defaults.language;

/** Returns the time zone of the current context; `undefined` if none was set. */
export const currentTimeZone = (): string | undefined => contextLocale.getStore()?.timeZone;

/** Sets the locale from here on, in this asynchronous context. */
export function enter(locale: Locale): void {
  contextLocale.enterWith(locale);
}

/** Returns the direction of a language, for the attribute `dir`. By default the current one. */
export function direction(language: string = current()): "ltr" | "rtl" {
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { readonly direction?: string } };
  return locale.getTextInfo().direction === "rtl" ? "rtl" : "ltr";
}
