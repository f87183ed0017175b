export type { SearchCursors } from "./find-page.ts";
export { fullTextIndex } from "./search-index.ts";
export type { SearchParameters } from "./search-parameters.ts";
export { prepareSearchRequest, runCursorSearch, runSearchRequest, type SearchRequest } from "./search-request.ts";
