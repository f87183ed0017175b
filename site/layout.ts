import { html, type Html, unsafeHtml } from "../src/html/index.ts";
import { packageVersion, repositoryUrl } from "./links.ts";
import type { Heading } from "./markdown.ts";
import { apiFolder, mainPages } from "./navigation.ts";
import { type LayoutPage, linkUrl, type NavigationNode, type Page, shorten, type Site } from "./pages.ts";

/** Values of a page that the layout shows. */
export interface PageContent {
  readonly page: LayoutPage;
  /** Content of the page. */
  readonly body: Html;
  readonly headings: readonly Heading[];
  /** Name of the documented version: `0.1`, or `next`. */
  readonly version: string;
  /** True if the folder above the site lists other versions in `versions.json`. */
  readonly hasVersions: boolean;
  /** Fingerprint of the style sheet and the script. */
  readonly fingerprint: string;
}

const description = "A batteries-included web framework for TypeScript.";

/** Sets the colour scheme before the first paint. */
const themeScript = unsafeHtml(
  `<script>try{const t=localStorage.getItem("limmat-theme");if(t)document.documentElement.style.colorScheme=t}catch{}</script>`,
);

/** True for a page of the navigation, and for the first page. */
const isListed = (page: LayoutPage): page is Page => "source" in page;

/** Returns the document of a page: head, header and footer around its content. */
export function renderDocument(site: Site, content: PageContent): string {
  const { page, body, version, hasVersions, fingerprint } = content;
  const isHome = page === site.home;
  const to = (path: string): string => linkUrl(page, path);
  const title = isHome ? "limmat: a web framework for TypeScript" : `${page.title} · limmat`;
  return html`<!doctype html>
    <html
      lang="en"
      data-root="${to("index.html").replace(/index\.html$/, "") || "./"}"
      data-versions="${hasVersions ? "yes" : "no"}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <meta name="description" content="${isHome ? description : shorten(page.description, 200)}" />
        ${isListed(page) && page.searchTerms !== "" && html`<meta name="keywords" content="${page.searchTerms}" />`}
        <meta name="generator" content="limmat ${packageVersion}" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${to("icon.svg")}" type="image/svg+xml" />
        ${
          isListed(page)
            ? html`<link rel="alternate" type="text/markdown" href="${to(page.twin)}" />`
            : html`<meta name="robots" content="noindex" />`
        }
        ${themeScript}
        <link rel="stylesheet" href="${to("site.css")}?${fingerprint}" />
        <script type="module" src="${to("site.js")}?${fingerprint}"></script>
      </head>
      <body class="${isHome ? "home" : "docs"}">
        <a class="skip-link" href="#content">Skip to content</a>
        ${renderHeader(site, page, version)} ${isHome && renderSidebar(site, page)}
        ${isHome ? html`<main id="content">${body}</main>` : renderColumns(site, content)} ${renderFooter(site, page)}
        ${searchDialog}
      </body>
    </html> `.toString();
}

/** Returns the value of `aria-current` for a link of the header: to the page, or to the section that contains it. */
function currentOf(page: LayoutPage, title: string, target: Page): "page" | "true" | false {
  if (target === page) return "page";
  return isListed(page) && page.path.includes(title) ? "true" : false;
}

function renderHeader(site: Site, page: LayoutPage, version: string): Html {
  const to = (path: string): string => linkUrl(page, path);
  const links = mainPages.flatMap(({ title, source }) => {
    const target = site.pageBySource.get(source);
    return target === undefined ? [] : [{ title, target }];
  });
  return html`<header class="top">
    <div class="top-row">
      <a class="brand" href="${to("index.html")}"
        ><img src="${to("icon.svg")}" alt="" width="28" height="28" />limmat</a
      >
      <nav class="main-nav" aria-label="Main">
        ${links.map(({ title, target }) => html`<a href="${to(target.url)}" ?aria-current=${currentOf(page, title, target)}>${title}</a>`)}
      </nav>
      <div class="tools">
        ${renderSearchButton()}
        <details class="versions">
          <summary aria-label="Version ${version}">${version}</summary>
          <ul data-version-list>
            <li><a href="${to("index.html")}" aria-current="true">${version}</a></li>
          </ul>
        </details>
        <button class="icon-button" type="button" data-theme hidden aria-label="Switch between light and dark colours">
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            <circle cx="10" cy="10" r="6.2" fill="none" stroke="currentColor" stroke-width="1.8" />
            <path d="M10 3.8a6.2 6.2 0 0 1 0 12.4Z" fill="currentColor" />
          </svg>
        </button>
        <button class="icon-button menu-button" type="button" popovertarget="pages" aria-label="Pages">
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            <path d="M3 6h14M3 10h14M3 14h14" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
          </svg>
        </button>
      </div>
    </div>
  </header>`;
}

/** Renders the button that opens the search. The script of the site shows it. */
export const renderSearchButton = (): Html =>
  html`<button class="search-button" type="button" data-search hidden>
    <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      <path
        d="M8.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm4 9.5L17 17"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
      /></svg
    ><span>Search</span><kbd>/</kbd>
  </button>`;

function renderColumns(site: Site, content: PageContent): Html {
  const { page, body } = content;
  return html`<div class="columns">
    ${renderSidebar(site, page)}
    ${isListed(page) ? renderArticle(site, page, content) : html`<main id="content" class="prose">${body}</main>`}
  </div>`;
}

/** Renders the content of a listed page, which the search index contains, and the outline beside it. */
function renderArticle(site: Site, page: Page, { body, headings }: PageContent): Html {
  const index = site.pages.indexOf(page);
  const [previous, next] = index === -1 ? [] : [site.pages[index - 1], site.pages[index + 1]];
  // Names without their namespaces, which the page shows: `find` for `Web.Csrf.find`.
  const isReference = page.source.startsWith(`${apiFolder}/`);
  const editUrl = editUrlOf(page);
  const outline = headings.filter(({ level }) => level === 2 || headings.length <= 150);
  const hasOutline = outline.length > 1;
  return html`<main id="content">
      ${hasOutline && html`<button class="outline-button" type="button" popovertarget="outline">On this page</button>`}
      <article class="prose" data-search-weight="${String(page.searchWeight)}">
        ${page.path.length > 0 && html`<p class="crumbs">${page.path.join(" · ")}</p>`} ${body}
      </article>
      <nav class="sequence" aria-label="Previous and next page">
        ${previous !== undefined && html`<a class="previous" href="${linkUrl(page, previous.url)}" rel="prev"><span>Previous</span> ${previous.title}</a>`}
        ${next !== undefined && html`<a class="next" href="${linkUrl(page, next.url)}" rel="next"><span>Next</span> ${next.title}</a>`}
      </nav>
    </main>
    <aside class="outline" id="outline" aria-label="Contents of this page" popover>
      ${
        hasOutline &&
        html`<p class="title">On this page</p>
          <ul>
            ${outline.map(({ level, id, text }) => html`<li class="${level === 2 ? "section" : "sub"}"><a href="#${id}">${isReference ? text.replace(/^(?:\w+\.)+(?=\w)/, "") : text}</a></li>`)}
          </ul>`
      }
      <p><a href="${linkUrl(page, page.twin)}">View as Markdown</a></p>
      ${editUrl !== undefined && html`<p><a href="${editUrl}">Edit this page</a></p>`}
    </aside>`;
}

/** Returns the URL that edits a page, if the repository has one. Pages of the API come from doc comments, not from a file. */
function editUrlOf({ source }: Page): string | undefined {
  if (repositoryUrl === undefined || source.startsWith(`${apiFolder}/`)) return undefined;
  return `${repositoryUrl}/edit/main/${source}`;
}

/** Renders the tree of all pages: a column on wide screens, a popover on narrow ones. */
const renderSidebar = (site: Site, page: LayoutPage): Html =>
  html`<nav class="sidebar" id="pages" aria-label="Pages" popover>
    ${site.tree.map((node) => renderNode(node, page, true))}
  </nav>`;

const containsPage = (node: NavigationNode, page: LayoutPage): boolean =>
  "nodes" in node ? node.nodes.some((child) => containsPage(child, page)) : node === page;

function renderNode(node: NavigationNode, page: LayoutPage, isSection: boolean): Html {
  if (!("nodes" in node)) {
    const isCurrent = node === page;
    const isOverview = node.source.endsWith("/README.md");
    const isNested = node.source.startsWith(apiFolder) && !isOverview && !node.title.startsWith("limmat");
    return html`<li class="${isNested ? "nested" : ""}">
      <a href="${linkUrl(page, node.url)}" ?aria-current=${isCurrent && "page"}
        >${isOverview ? "Overview" : node.title}</a
      >
    </li>`;
  }
  const isOpen = containsPage(node, page);
  const list = html`<ul>
    ${node.nodes.map((child) => renderNode(child, page, false))}
  </ul>`;
  const group = html`<details ?open=${isOpen}>
    <summary>${node.title}</summary>
    ${list}
  </details>`;
  return isSection ? html`<div class="section">${group}</div>` : html`<li>${group}</li>`;
}

function renderFooter(site: Site, page: LayoutPage): Html {
  const to = (path: string): string => linkUrl(page, path);
  const link = (title: string, source: string): Html | false => {
    const target = site.pageBySource.get(source);
    return target !== undefined && html`<a href="${to(target.url)}">${title}</a>`;
  };
  return html`<footer class="bottom">
    <div>
      <p>limmat ${packageVersion}, MIT licence</p>
      <p>
        ${link("Changelog", "CHANGELOG.md")} ${link("Contributing", "CONTRIBUTING.md")}
        ${link("Security", "SECURITY.md")} <a href="${to("llms.txt")}">llms.txt</a>
      </p>
    </div>
  </footer>`;
}

const searchDialog = html`<dialog class="search" aria-label="Search the documentation" data-search-dialog>
  <form method="dialog" role="search">
    <label class="visually-hidden" for="search-input">Search</label>
    <input
      id="search-input"
      type="search"
      placeholder="Search the documentation"
      autocomplete="off"
      spellcheck="false"
    />
    <button>Close</button>
  </form>
  <p class="search-status" role="status" data-search-status></p>
  <ol data-search-results></ol>
</dialog>`;
