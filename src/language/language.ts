import { contextLocale, current, type Locale, setLanguages, timeZoneFinder } from "./context.ts";
import { errors } from "./errors.ts";
import { lazy, Service } from "../core/index.ts";
import { languageCommands } from "./commands.ts";
import type { TextSources } from "./tools.ts";
import { type CompiledText, compileTemplate, isComplex, numberFormatFinder, type Values } from "./template.ts";
import { textsByLanguage } from "./texts/framework-texts.ts";
import type { FrameworkTexts } from "./texts/types.ts";
import type { Catalogue, Problems, Texts } from "./types.ts";

/** Compiles messages of MessageFormat 2: `messageFormat` of `limmat/messageformat`. */
export type Formatter = (text: string, language: string, path: string) => CompiledText;

/** Options of `Language.make`. */
export interface LanguageOptions {
  /** Formatter for texts with plurals, selection, numbers and dates. By default such texts are refused. */
  readonly format?: Formatter;
  /**
   * Texts of limmat itself, by language: `{ de }` with `de` of `limmat/language/de`. A language without them takes those of its primary
   * language (`de` for `de-CH`), otherwise English.
   */
  readonly framework?: Readonly<Record<string, FrameworkTexts>>;
}

/** Languages of an application. As a service, it has the commands `language.check`, `language.export` and `language.import`. */
export interface Language<Base = unknown> extends Service.Service {
  /** Texts in the language of the current context. Read them in functions: a constant keeps the base language. */
  readonly text: Texts<Base>;
  /** Base language. Code outside of requests uses it, and it replaces texts that another language lacks. */
  readonly base: string;
  /** Language tags (BCP 47), the base language first. */
  readonly all: readonly string[];
  /**
   * Returns the best language for language ranges, best range first: `de` for `de-CH` (lookup, RFC 4647 §3.4), then one with the same
   * primary language; `undefined` if none matches.
   */
  readonly match: (ranges: readonly string[]) => string | undefined;
  /** Runs a function in a language, with all that it calls and awaits. @throws E_LANGUAGE_UNKNOWN */
  readonly run: <Result>(language: string, run: () => Result, options?: Omit<Locale, "language">) => Result;
}

type Catalogues = { readonly [language: string]: Catalogue };

/** Problems of all translations, by language. */
type ProblemsOf<All, Base extends keyof All> = {
  readonly [Name in Exclude<keyof All, Base> & string]: Problems<All[Base], All[Name], Name>;
}[Exclude<keyof All, Base> & string];

/**
 * Creates the languages of an application. Translations are checked by the compiler against the base language:
 *
 * ```ts
 * const en = { cart: { title: "Cart", total: "Total of {$name}" } } as const satisfies Language.Catalogue;
 * const de = { cart: { title: "Warenkorb", total: "Summe von {$name}" } } as const satisfies Language.Translation<typeof en>;
 * export const language = Language.make("en", { en, de });
 * language.text.cart.total({ name: "Ada" });
 * ```
 *
 * @throws E_LANGUAGE_FORMAT_MISSING, E_LANGUAGE_TAG
 */
export function make<Base extends string, All extends Catalogues & { readonly [Name in Base]: Catalogue }>(
  base: [ProblemsOf<All, Base>] extends [never] ? Base : ProblemsOf<All, Base>,
  catalogues: All,
  options: LanguageOptions = {},
): Language<All[Base]> {
  const all = [base, ...Object.keys(catalogues).filter((name) => name !== base)];
  for (const name of [...all, ...Object.keys(options.framework ?? {})]) checkTag(name);
  for (const name of all) checkFormatter(catalogues[name] as Catalogue, name, options);
  setLanguages({ base, texts: textsByLanguage(all, options.framework ?? {}) });
  const match = matcherOf(all);
  const numbers = numberFormatFinder();
  const knownTimeZone = timeZoneFinder();
  const compile: TextSources["compile"] = (text, language, path) =>
    options.format !== undefined && isComplex(text)
      ? options.format(text, language, path)
      : compileTemplate(text, () => numbers(language), path);
  return {
    ...Service.make({
      name: "language",
      implementation: "catalogues",
      commands: languageCommands({ base, catalogues, compile }),
    }),
    text: makeTexts(base, catalogues, compile) as Texts<All[Base]>,
    base,
    all,
    match,
    run: (language, run, locale) => {
      if (!all.includes(language)) throw errors.E_LANGUAGE_UNKNOWN(language, all);
      return contextLocale.run({ language, timeZone: knownTimeZone(locale?.timeZone) }, run);
    },
  };
}

function checkTag(tag: string): void {
  try {
    Intl.getCanonicalLocales(tag);
  } catch {
    throw errors.E_LANGUAGE_TAG(tag);
  }
}

function checkFormatter(catalogue: Catalogue, path: string, options: LanguageOptions): void {
  if (options.format !== undefined) return;
  for (const [key, entry] of Object.entries(catalogue)) {
    if (typeof entry === "object") checkFormatter(entry, `${path}.${key}`, options);
    else if (typeof entry === "string" && isComplex(entry)) throw errors.E_LANGUAGE_FORMAT_MISSING(`${path}.${key}`);
  }
}

type Compile = TextSources["compile"];

/** Group of texts in each language, by language tag. A language may lack the group. */
type Groups = Readonly<Record<string, Catalogue | undefined>>;

/** Creates the texts of a group. Groups within it are created on first use. */
function makeTexts(base: string, groups: Groups, compile: Compile, path = ""): object {
  const texts = {};
  for (const [key, entry] of Object.entries(groups[base] ?? {})) {
    const textPath = path === "" ? key : `${path}.${key}`;
    if (typeof entry === "object") {
      const makeGroup = lazy(() => {
        const entries = Object.entries(groups).map(([name, group]) => [name, group?.[key] as Catalogue | undefined]);
        return makeTexts(base, Object.fromEntries(entries) as Groups, compile, textPath);
      });
      Object.defineProperty(texts, key, { get: makeGroup, enumerable: true });
    } else {
      const find = textFinder(base, groups, key, compile, textPath);
      const isConstant = typeof entry === "string" && !/\{[$#]/.test(entry);
      const property = isConstant ? { get: () => find()({}) } : { value: (values: Values) => find()(values) };
      Object.defineProperty(texts, key, { ...property, enumerable: true });
    }
  }
  return texts;
}

/** Returns a function that returns the text in the current language, else in the base language, compiled once. */
function textFinder(base: string, groups: Groups, key: string, compile: Compile, path: string): () => CompiledText {
  const compiledTexts = new Map<string, CompiledText>();
  const compileIn = (language: string): CompiledText => {
    const entry = groups[language]?.[key];
    if (typeof entry === "function") return entry as CompiledText;
    return typeof entry === "string" ? compile(entry, language, path) : find(base);
  };
  const find = (language: string): CompiledText => {
    let compiled = compiledTexts.get(language);
    // A language that the catalogues lack is not kept: requests choose among few languages, others may name any.
    if (compiled === undefined) {
      compiled = compileIn(language);
      if (groups[language] !== undefined) compiledTexts.set(language, compiled);
    }
    return compiled;
  };
  return () => find(current());
}

/** Longer ranges are no tags: RFC 5646 §4.4.1 expects 35 characters. */
const maxRangeLength = 64;

/** Returns a function that looks up language ranges (RFC 4647 §3.4). */
function matcherOf(all: readonly string[]): Language["match"] {
  const byTag = new Map(all.map((name) => [name.toLowerCase(), name]));
  const byPrimary = new Map(all.toReversed().map((name) => [name.split("-")[0]?.toLowerCase() ?? "", name]));
  return (ranges) => {
    for (const range of ranges) {
      if (range.length > maxRangeLength) continue;
      const subtags = range.toLowerCase().split("-");
      for (let count = subtags.length; count > 0; count--) {
        // A single letter begins an extension, and does not end a range.
        if (subtags[count - 1]?.length === 1) continue;
        const found = byTag.get(subtags.slice(0, count).join("-"));
        if (found !== undefined) return found;
      }
      const related = byPrimary.get(subtags[0] ?? "");
      if (related !== undefined) return related;
    }
    return undefined;
  };
}
