const numberOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const characters = (count: number): string => numberOf(count, "character", "characters");
const entries = (count: number): string => numberOf(count, "entry", "entries");

/** Messages of fields, lists and records, and rules of queries and searches, in one language. */
export interface SchemaTexts {
  /** The field was not sent, or is empty although it is required. */
  readonly missing: string;
  /** The field was sent more than once. */
  readonly repeated: string;
  /** The text contains NUL or a lone surrogate, which no database accepts. */
  readonly characters: string;
  /** The JSON value is not a string. */
  readonly string: string;
  readonly bool: string;
  readonly int: string;
  readonly float: string;
  readonly decimal: (scale: number, separator: string) => string;
  /** For a decimal that is a number of JSON with more than 15 digits. */
  readonly rounded: string;
  readonly date: string;
  readonly datetime: string;
  readonly uuid: string;
  readonly json: string;
  /** The text of a form is no choice. A form shows labels, so that the message does not list the values. */
  readonly option: string;
  /** The JSON value is no choice. */
  readonly oneOf: (choices: readonly string[]) => string;
  readonly tooShort: (min: number) => string;
  readonly tooLong: (max: number) => string;
  readonly tooSmall: (min: number | string) => string;
  readonly tooLarge: (max: number | string) => string;
  /** The JSON body, or the JSON value of a record, is not an object. */
  readonly record: string;
  /** The JSON value is not an array. */
  readonly list: string;
  readonly tooFew: (min: number) => string;
  readonly tooMany: (max: number) => string;
  /** Detail of a response to a query string or a body that does not match its schema. `problem` begins with a name. */
  readonly invalidQuery: (problem: string) => string;
  readonly invalidBody: (problem: string) => string;
  readonly query: QueryTexts;
  readonly search: SearchTexts;
}

/** Description of a valid value, as in `QueryTexts.expected`, and the rule of the parameter. */
export type QueryRule = readonly [expected: string, rule: string];

/** Texts about the query of a list. */
export interface QueryTexts {
  /**
   * Descriptions of a valid value, which follow `must be` of `is` and `Please enter` of a filter's error. In a language with
   * cases, choose words that are equal in both.
   */
  readonly expected: {
    /** For the address, which has the values. */
    readonly oneOf: (choices: readonly string[]) => string;
    /** For a page, which shows labels. */
    readonly option: string;
    readonly bool: string;
    readonly uuid: string;
    readonly text: (maxLength: number) => string;
    readonly int: string;
    readonly decimal: (separator: string) => string;
    readonly date: string;
    readonly timestamp: string;
    /** Adds to a description that `none` selects the items without a value. */
    readonly orNone: (expected: string, none: string) => string;
  };
  /** Rules of parameters, which follow `The parameter "limit" of the query`. */
  readonly is: (expected: string) => string;
  readonly once: QueryRule;
  readonly atMost: (maxCount: number) => QueryRule;
  readonly short: (maxLength: number) => QueryRule;
  readonly withoutNul: QueryRule;
  readonly unknown: (filters: readonly string[]) => string;
  readonly notWith: (other: string) => string;
  readonly noOffset: string;
  readonly positive: string;
  readonly tooLarge: string;
  readonly digits: string;
  readonly cursor: string;
  readonly sort: (columns: readonly string[]) => string;
  readonly unsupportedByList: string;
  readonly unsupported: string;
  readonly names: (allowed: readonly string[]) => string;
}

/** Type of a column that a search filters by. */
export interface SearchedColumn {
  /** Description in English: `a UUID`. */
  readonly expected: string;
  readonly storage?: { readonly type: string; readonly oneOf?: readonly string[] } | undefined;
}

/** Texts about the parameters of a search in a table: whole sentences. */
export interface SearchTexts {
  readonly limit: string;
  readonly offset: string;
  readonly filterLength: (maxLength: number) => string;
  readonly textLength: (maxLength: number) => string;
  readonly noFilter: string;
  readonly noText: string;
  readonly unknownFilter: (name: string, filters: readonly string[]) => string;
  readonly tooManyValues: (name: string, maxCount: number) => string;
  readonly rangeKeys: (name: string) => string;
  readonly noRange: (name: string) => string;
  readonly rangeNull: (name: string) => string;
  readonly years: (name: string) => string;
  readonly wrongType: (name: string, column: SearchedColumn) => string;
  readonly valueLength: (name: string, maxLength: number) => string;
  readonly decimalDigits: (name: string) => string;
  readonly direction: string;
  readonly sortColumn: (allowed: readonly string[]) => string;
  readonly sortOnce: string;
  readonly sortCount: (maxCount: number) => string;
  readonly cursor: string;
  readonly onePosition: string;
  readonly noItemCursor: string;
}

const decimalExample = (scale: number, separator: string): string => `12${separator}${"5".padEnd(scale, "0")}`;

/** Messages of fields, lists and records, and rules of queries and searches. */
export const schemaTexts: SchemaTexts = {
  missing: "Please fill this in",
  repeated: "Please give one value only",
  characters: "This contains a character that cannot be stored",
  string: "Please give a text",
  bool: "Please choose yes or no",
  int: "Please enter a whole number",
  float: "Please enter a number",
  decimal: (scale, separator) =>
    scale === 0
      ? "Please enter a whole number"
      : `Please enter a number with at most ${numberOf(scale, "decimal place", "decimal places")}, such as ${decimalExample(scale, separator)}`,
  rounded: "Please send more than 15 digits as a text",
  date: "Please enter a date, such as 2026-12-31",
  datetime: "Please enter a date and time, such as 2026-12-31T18:30",
  uuid: "Please enter an identifier, such as 0f8fad5b-d9cb-469f-a165-70867728950e",
  json: "Please enter valid JSON",
  option: "Please choose one of the options",
  oneOf: (choices) => `Please choose one of ${choices.join(", ")}`,
  tooShort: (min) => `Please enter at least ${characters(min)}`,
  tooLong: (max) => `Please enter at most ${characters(max)}`,
  tooSmall: (min) => `Please enter ${min} or more`,
  tooLarge: (max) => `Please enter ${max} or less`,
  record: "Please send an object with this field",
  list: "Please send a list",
  tooFew: (min) => `Please give at least ${entries(min)}`,
  tooMany: (max) => `Please give at most ${entries(max)}`,
  invalidQuery: (problem) => `The query is not valid: ${problem}`,
  invalidBody: (problem) => `The body is not valid: ${problem}`,
  query: {
    expected: {
      oneOf: (choices) => `one of ${choices.join(", ")}`,
      option: "one of the options",
      bool: "true or false",
      uuid: "a UUID",
      text: (maxLength) => `a text of at most ${characters(maxLength)} without NUL`,
      int: "a whole number",
      decimal: (separator) => `a decimal number like ${decimalExample(2, separator)}`,
      date: "a date like 2026-01-31",
      timestamp: "a point in time like 2026-01-31 or 2026-01-31T12:00:00Z",
      orNone: (expected, none) => `${expected}, or "${none}" for no value`,
    },
    is: (expected) => `must be ${expected}`,
    once: ["one value", "must be given once"],
    atMost: (maxCount) => [
      `at most ${numberOf(maxCount, "value", "values")}`,
      `must be given at most ${numberOf(maxCount, "time", "times")}`,
    ],
    short: (maxLength) => [`at most ${characters(maxLength)}`, `must have at most ${characters(maxLength)}`],
    withoutNul: ["a text without NUL", "must not contain the character NUL"],
    unknown: (filters) => `is unknown. The list has the filters ${filters.join(", ")}`,
    notWith: (other) => `cannot be combined with "${other}"`,
    noOffset: 'must be 0 with "after" or "before"',
    positive: "must be 1 or more",
    tooLarge: "is too large",
    digits: "must be a whole number, in the digits 0 to 9",
    cursor: "is not a valid cursor",
    sort: (columns) =>
      columns.length === 0
        ? 'must be "asc" or "desc"'
        : `must be "asc", "desc", or each at most once, separated by commas and with a hyphen for descending: ${columns.join(", ")}`,
    unsupportedByList: "is not supported by this list",
    unsupported: "is not supported here",
    names: (allowed) => `may contain only these names, separated by commas: ${allowed.join(", ")}`,
  },
  search: {
    limit: "The limit must be a whole number above 0.",
    offset: "The offset must be a whole number, at least 0.",
    filterLength: (maxLength) => `The filter must have at most ${characters(maxLength)}.`,
    textLength: (maxLength) => `The text must have at most ${characters(maxLength)}.`,
    noFilter: "This search does not support a filter.",
    noText: "This search does not support a full-text search.",
    unknownFilter: (name, filters) =>
      `The search has no filter ${JSON.stringify(name)}. Its filters: ${filters.join(", ") || "none"}.`,
    tooManyValues: (name, maxCount) =>
      `The filter "${name}" must have at most ${numberOf(maxCount, "value", "values")}.`,
    rangeKeys: (name) => `The range of the filter "${name}" has only "from" and "to".`,
    noRange: (name) => `The filter "${name}" does not support a range.`,
    rangeNull: (name) => `The range of the filter "${name}" must not end at NULL. Omit the end.`,
    years: (name) => `The filter "${name}" must lie between the years 1 and 9999.`,
    wrongType: (name, { expected }) => `The filter "${name}" must be ${expected}.`,
    valueLength: (name, maxLength) => `The filter "${name}" must have at most ${characters(maxLength)}.`,
    decimalDigits: (name) => `The filter "${name}" must have at most 65 digits, 38 after the point.`,
    direction: "The sort direction must be asc or desc.",
    sortColumn: (allowed) => `The sort column must be one of: ${allowed.join(", ")}.`,
    sortOnce: "Each sort column must be given once.",
    sortCount: (maxCount) => `A search needs 1 to ${maxCount} sort columns.`,
    cursor:
      "The cursor is not valid. A cursor belongs to one list, sort order and filter. Start again from the first page.",
    onePosition: "Only one of offset, after and before can be given.",
    noItemCursor: "An item has no cursor in an order by relevance. Use runCursorSearch.",
  },
};
