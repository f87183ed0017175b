import { hash } from "node:crypto";
import { Language, LanguageInternals } from "../../language/index.ts";
import { html, type Html, unsafeHtml } from "../../html/index.ts";
import { styleSheet } from "./style-sheet.ts";

export { isErrorPage } from "./error-page-mark.ts";
export { setPageBanner } from "./page-banner.ts";

/** Style of a built-in page: the shared style sheet, with additional rules of the page. */
export interface PageStyle {
  /** Text of the style element. */
  readonly css: string;
  /** Element for the head of the page. */
  readonly element: Html;
  /** Source expression of the style for `style-src` (CSP Level 3 §2.3.1). */
  readonly source: string;
}

/** Parts of a built-in page. */
export interface PageOptions {
  readonly title: string;
  /** Content of the `main` element. */
  readonly content: Html;
  /** Default: the shared style sheet without additions. */
  readonly style?: PageStyle;
  /** True if the page has one narrow, centered column, like an error page or a form. Default false. */
  readonly isCentered?: boolean;
  /**
   * Nonce of the style element, for a page below the policy of the application, which allows icons from `data:`. Default
   * none: the policy allows the style by its hash.
   */
  readonly nonce?: string;
  /** Language of the page. Default: that of `frameworkTexts()`. Pages for developers are in English. */
  readonly language?: "en";
  /** Interval of the automatic refresh, in seconds. Default: no refresh. */
  readonly refreshSeconds?: number | undefined;
}

/** Creates the style of a page from the shared style sheet and additional rules. */
export function pageStyle(additionalRules = ""): PageStyle {
  const css = styleSheet + additionalRules;
  const source = `'sha256-${hash("sha256", css, "base64")}'`;
  return { css, element: unsafeHtml(`<style>${css}</style>`), source };
}

/** Shared style without additional rules. */
export const sharedStyle: PageStyle = pageStyle();

/** Returns the Content-Security-Policy of a page: its style and nothing else, extended or replaced by `directives`. */
export function pagePolicy(style: PageStyle, directives: Readonly<Record<string, string>> = {}): string {
  const policy = {
    "default-src": "'none'",
    "style-src": style.source,
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...directives,
  };
  return Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
}

/** Renders a complete page with an inline style, so that it needs no other file. */
export function renderPage(options: PageOptions): Html {
  const { title, content, style = sharedStyle, isCentered = false, nonce, refreshSeconds } = options;
  const { language = LanguageInternals.frameworkLanguage() } = options;
  return html`<!doctype html>
    <html lang="${language}" dir="${Language.direction(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${String(refreshSeconds)}" />`}
        <title>${title}</title>
        ${nonce !== undefined && html`<link rel="icon" href="data:," />`}
        ${nonce === undefined ? style.element : unsafeHtml(`<style nonce="${nonce}">${style.css}</style>`)}
      </head>
      <body class="${isCentered ? "centered" : "wide"}">
        <main>${content}</main>
      </body>
    </html> `;
}
