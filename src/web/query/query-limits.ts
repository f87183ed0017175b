/** Default number of items on a page. */
export const defaultLimit = 50;

/** Default maximum number of items on a page. */
export const defaultMaxLimit = 1000;

/** Maximum length of a filter, in characters. */
export const maxFilterLength = 256;

/** Maximum number of values of one filter. */
export const maxFilterValues = 100;

/** Maximum number of columns in the parameter `sort`. */
export const maxSortColumns = 8;

/** Maximum length of a cursor, in characters. */
export const maxCursorLength = 4096;
