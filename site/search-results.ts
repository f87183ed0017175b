// Types of the search, apart from it: the tests use them where the packages of the site are not installed.
import type { SearchPage } from "../src/cli/docs/search-index.ts";

/** Exports of `search.ts`. */
export interface SearchModule {
  readonly createIndex: (pages: readonly SearchPage[]) => SearchIndex;
  readonly createSearch: (index: SearchIndex) => (query: string) => SearchResults;
}

/** Pages, and the index of their sections as JSON. */
export interface SearchIndex {
  readonly pages: readonly SearchPage[];
  readonly index: object;
}

/** Results of a search, best first. */
export interface SearchResults {
  /** Number of pages that match. */
  readonly total: number;
  /** The first of them. */
  readonly results: readonly SearchResult[];
  /** The query with corrected words, if no page contains a word of it; else `undefined`. */
  readonly correctedQuery: string | undefined;
}

/** Page that matches a query. */
export interface SearchResult {
  readonly path: string;
  readonly title: string;
  readonly group: string;
  /** HTML: escaped text around the first word, with `<mark>` around each word. */
  readonly excerpt: string;
  /** Sections that match best. */
  readonly sections: readonly { readonly title: string; readonly path: string; readonly excerpt: string }[];
}
