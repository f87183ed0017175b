export type { SearchCursors, UncountedCursors } from "./find-page.ts";
export { fullTextIndex } from "./search-index.ts";
export type { AnySearchParameters, SearchParameters, UncountedParameters } from "./search-parameters.ts";
export { prepareSearchRequest, runCursorSearch, runSearchRequest, type SearchRequest } from "./search-request.ts";
