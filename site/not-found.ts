import { html, type Html } from "../src/html/index.ts";
import { renderSearchButton } from "./layout.ts";
import { type LayoutPage, linkUrl, type Site } from "./pages.ts";

/** File that static hosts send with status 404 for an unknown URL. */
export const notFoundFile = "404.html";

/** Returns the page of unknown URLs. It has no Markdown twin, and the navigation, `llms.txt` and the search omit it. */
export const notFoundPage = (base: string): LayoutPage => ({
  url: notFoundFile,
  title: "Page not found",
  description: "The documentation has no page at this address.",
  base,
});

const destinations: readonly (readonly [title: string, source: string, text: string])[] = [
  ["Getting started", "docs/guide/getting-started.md", "from an empty folder to a tested resource"],
  ["Guide", "docs/guide/README.md", "pages by task"],
  ["API reference", "docs/reference/api/README.md", "every export of every entry point"],
  ["Error codes", "docs/reference/errors.md", "each with its remedy"],
];

/** Returns the content of the page of unknown URLs. */
export function renderNotFound(site: Site, page: LayoutPage): Html {
  return html`<h1>${page.title}</h1>
    <p>${page.description} It may have moved, or belong to another version.</p>
    ${renderSearchButton()}
    <ul>
      <li><a href="${linkUrl(page, site.home.url)}">Home page</a></li>
      ${destinations.map(([title, source, text]) => {
        const target = site.pageBySource.get(source);
        return target !== undefined && html`<li><a href="${linkUrl(page, target.url)}">${title}</a>: ${text}</li>`;
      })}
    </ul>`;
}
