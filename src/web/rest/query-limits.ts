/** Items that a page has at most, unless the list says otherwise. A larger limit counts as this one. */
export const defaultMaxLimit = 1000;

/** Characters that a filter has at most. */
export const longestFilter = 256;

/** Characters that a cursor has at most. */
export const longestCursor = 4096;
