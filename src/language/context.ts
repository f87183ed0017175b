import { AsyncLocalStorage } from "node:async_hooks";
import { BoundedMap } from "../core/index.ts";
import type { LanguageTexts } from "./texts/types.ts";

/** Language and time zone of the person for whom the current code runs. */
export interface Locale {
  /** Language tag of a catalogue (BCP 47): `de`. */
  readonly language: string;
  /** IANA name: `Europe/Zurich`. An unknown one counts as none. */
  readonly timeZone?: string | undefined;
}

/** Locale of the current asynchronous context. */
export const contextLocale: AsyncLocalStorage<Locale> = new AsyncLocalStorage({ name: "limmat.language" });

/** Languages of the application. */
export interface Languages {
  /** Language outside of all contexts. */
  readonly base: string;
  /** Functions that return the texts of the framework, by language tag. */
  readonly texts: ReadonlyMap<string, () => LanguageTexts>;
}

const state: { languages: Languages } = { languages: { base: "en", texts: new Map() } };

/** Sets the languages of the application. */
export function setLanguages(languages: Languages): void {
  state.languages = languages;
}

/** Returns the texts of the framework in a language; `undefined` if it has none. */
export const textsIn = (language: string): LanguageTexts | undefined => state.languages.texts.get(language)?.();

/** Returns the language of the current request or of `run`, otherwise the base language of the application. */
export const current = (): string => contextLocale.getStore()?.language ?? state.languages.base;

/** Returns the time zone of the current context; `undefined` if none was set. */
export const currentTimeZone = (): string | undefined => contextLocale.getStore()?.timeZone;

// To find out takes 20 µs.
const maxTimeZones = 1000;

/** Returns a function that returns a time zone if `Intl` knows it, otherwise `undefined`: an account may hold any text. */
export function timeZoneFinder(): (name: string | undefined) => string | undefined {
  const known = new BoundedMap<string, boolean>(maxTimeZones);
  return (name) => (name !== undefined && known.getOrInsertComputed(name, isTimeZone) ? name : undefined);
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Sets the locale from here on, in this asynchronous context. */
export function enter(locale: Locale): void {
  contextLocale.enterWith(locale);
}

/** Resets the locale to the base language, in this asynchronous context. */
export function leave(): void {
  if (contextLocale.getStore() !== undefined) contextLocale.enterWith(undefined as unknown as Locale);
}

/** Returns an iterable that makes its items in the current locale, whoever asks for them: for a body that is streamed later. */
export function bindIterable<Item>(
  iterable: AsyncIterable<Item> | Iterable<Item>,
): AsyncIterable<Item> | Iterable<Item> {
  const locale = currentLocale();
  return locale === undefined ? iterable : iterateIn(iterable, (next) => runInLocale(locale, next));
}

/** Returns an iterable that makes its items inside of `run`, which sets an asynchronous context. */
export function iterateIn<Item>(
  iterable: AsyncIterable<Item> | Iterable<Item>,
  run: <Result>(next: () => Result) => Result,
): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator =
        Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();
      const close = iterator.return?.bind(iterator);
      return {
        next: async () => run(() => iterator.next()),
        ...(close !== undefined && { return: async () => run(() => close()) }),
      };
    },
  };
}

/** Returns the locale of the current context; `undefined` outside of requests and `run`. For work that runs later. */
export const currentLocale = (): Locale | undefined => contextLocale.getStore();

/** Runs a function in a locale that was current before; `undefined` stands for the base language. */
export const runInLocale = <Result>(locale: Locale | undefined, run: () => Result): Result =>
  contextLocale.run(locale as Locale, run);

/** Returns the direction of a language, for the attribute `dir`. By default the current one. */
export function direction(language: string = current()): "ltr" | "rtl" {
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { readonly direction?: string } };
  return locale.getTextInfo().direction === "rtl" ? "rtl" : "ltr";
}
