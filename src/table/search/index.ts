export { fullTextIndex } from "./full-text-index.ts";
export { runCursorSearch, runSearchRequest, type SearchCursors } from "./run-search.ts";
export type { SearchParameters } from "./search-parameters.ts";
export { prepareSearchRequest } from "./search-request.ts";
