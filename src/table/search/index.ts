export type { SearchCursors } from "./find-page.ts";
export { fullTextIndex } from "./search-index.ts";
export type { SearchParameters } from "./search-parameters.ts";
export { prepareSearchRequest, runCursorSearch, runSearchRequest } from "./search-request.ts";
