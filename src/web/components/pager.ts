import { html, type Html } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import * as Query from "../query/query.ts";

/** Options of a pager. */
export interface PagerOptions {
  /** Path of the list: `Rest.listPath(request)`. */
  readonly path: string;
  /** Number of items on the page. */
  readonly count: number;
  /** Number of items on all pages. Default: not counted, which cursors allow. */
  readonly total?: number | undefined;
  /** Cursors of the page. Default: pages by offset. */
  readonly cursors?: Query.Cursors | undefined;
}

/**
 * Renders the range of the shown items, and links to the other pages. They keep filter and order of the query. A page
 * without items has no range, and an empty list no pager.
 */
export function pager(query: Query.Query, options: PagerOptions): Html {
  const { path, count, total, cursors } = options;
  const texts = LanguageInternals.frameworkTexts().components;
  const offset = cursors === undefined ? (query.offset ?? 0) : cursors.offset;
  const link = (label: string, target: Query.Query | undefined, rel?: "prev" | "next"): Html | undefined =>
    target && html`<a class="button secondary" ?rel=${rel} href="${path + Query.toQueryString(target)}">${label}</a>`;
  const links = [
    link(texts.first, Query.firstPage(query, cursors)),
    link(texts.previous, Query.previousPage(query, cursors), "prev"),
    link(texts.next, Query.nextPage(query, total, cursors), "next"),
    total === undefined ? undefined : link(texts.last, Query.lastPage(query, total, cursors)),
  ];
  if (count === 0 && links.every((anchor) => anchor === undefined)) return html``;
  const hasRange = offset !== undefined && count > 0;
  return html` <nav class="pager row space-between" aria-label="${texts.pages}">
    <span class="meta">${hasRange && texts.range(offset + 1, offset + count, total)}</span>
    <span class="row">${links}</span>
  </nav>`;
}
