import { html, type Html } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import type { Request } from "../../http/message/index.ts";

/** Options of `navigation`. */
export interface NavigationOptions {
  /** Name of the navigation for screen readers. Default: "Main" in the language of the page. */
  readonly label?: string | undefined;
}

/**
 * Renders links to pages of the site. The current one has `aria-current="page"`, and one above the current page
 * `aria-current="true"` (WAI-ARIA 1.2, §6.6).
 *
 * @example
 * navigation(request, [["/", "Home"], ["/books", "Books"]])
 */
export function navigation(
  request: Request,
  pages: readonly (readonly [path: string, text: string])[],
  { label = LanguageInternals.frameworkTexts().components.mainNavigation }: NavigationOptions = {},
): Html {
  return html`<nav aria-label="${label}">
    ${pages.map(
      ([path, text]) =>
        html`<a href="${request.prefix}${path}" ?aria-current=${currentAt(request.path, path)}>${text}</a> `,
    )}
  </nav>`;
}

function currentAt(current: string, path: string): "page" | "true" | undefined {
  if (current === path) return "page";
  return path !== "/" && current.startsWith(`${path}/`) ? "true" : undefined;
}
