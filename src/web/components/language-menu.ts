import { Configuration } from "../../config/index.ts";
import { Language, LanguageInternals } from "../../language/index.ts";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/message/index.ts";
import { type RequestLanguage, requestLanguage } from "../middleware/language.ts";

/** Options of `languageMenu`. */
export interface LanguageMenuOptions {
  /** Name of the navigation for screen readers. Default: "Language" in the language of the page. */
  readonly label?: string | undefined;
}

/**
 * Renders links to the same page in the other languages of `Web.Middleware.language`, each named in its own language: `Deutsch`.
 * Renders nothing without the middleware.
 */
export function languageMenu(request: Request, options: LanguageMenuOptions = {}): Html {
  const state = request.get(requestLanguage);
  if (state === undefined) return html``;
  const { label = LanguageInternals.frameworkTexts().components.language } = options;
  return html`<nav class="languages" aria-label="${label}">
    ${state.languages.all.map((language) => {
      const current = language === state.language ? "true" : undefined;
      const [lang, dir] = [language, Language.direction(language)];
      const href = pathIn(language, request, state);
      return html`<a href="${href}" lang="${lang}" dir="${dir}" hreflang="${lang}" ?aria-current=${current}
        >${languageName(language)}</a
      > `;
    })}
  </nav>`;
}

/**
 * Renders `<link rel="alternate">` to the same page in each language, for search engines. Only for languages in paths: otherwise the
 * page has one address for all. The links begin with `APP_URL`.
 */
export function alternateLinks(request: Request): Html {
  const state = request.get(requestLanguage);
  if (state?.isInPath !== true) return html``;
  const base = Configuration.appUrl().href.replace(/\/$/, "");
  return html`${state.languages.all.map(
    (language) =>
      html`<link
        rel="alternate"
        hreflang="${language}"
        href="${base}${pathIn(language, request, state).slice(state.basePrefix.length)}"
      />`,
  )}`;
}

/** Returns the path of the current page in a language; without languages in paths, one that chooses the language. */
function pathIn(language: string, request: Request, { languages, isInPath, basePrefix }: RequestLanguage): string {
  const query = new URLSearchParams(request.query);
  if (!isInPath) query.set("language", language);
  const prefix = isInPath && language !== languages.base ? `${basePrefix}/${language}` : basePrefix;
  const path = prefix + encodeURI(request.path);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Returns the name of a language in the language itself. */
function languageName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
