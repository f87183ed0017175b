/**
 * Error messages of fields, lists and records. Override them for another tone or language:
 * `Schema.record(fields, { messages: { missing: "Bitte ausfüllen" } })`.
 */
export interface Messages {
  /** Separator before the fraction of a decimal, as forms take and show it: the point or the comma. JSON has the point. */
  readonly decimalSeparator: "." | ",";
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
  readonly decimal: (scale: number, separator: "." | ",") => string;
  /** For a decimal that is a number of JSON with more than 15 digits. */
  readonly rounded: string;
  readonly date: string;
  readonly datetime: string;
  readonly uuid: string;
  readonly json: string;
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
}

/** Default messages, in English. */
export const englishMessages: Messages = {
  decimalSeparator: ".",
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
      : `Please enter a number with at most ${scale} decimal places, such as 12${separator}${"5".padEnd(scale, "0")}`,
  rounded: "Please send more than 15 digits as a text",
  date: "Please enter a date, such as 2026-12-31",
  datetime: "Please enter a date and time, such as 2026-12-31T18:30",
  uuid: "Please enter an identifier, such as 0f8fad5b-d9cb-469f-a165-70867728950e",
  json: "Please enter valid JSON",
  oneOf: (choices) => `Please choose one of ${choices.join(", ")}`,
  tooShort: (min) => `Please enter at least ${min} ${min === 1 ? "character" : "characters"}`,
  tooLong: (max) => `Please enter at most ${max} ${max === 1 ? "character" : "characters"}`,
  tooSmall: (min) => `Please enter ${min} or more`,
  tooLarge: (max) => `Please enter ${max} or less`,
  record: "Please send an object with this field",
  list: "Please send a list",
  tooFew: (min) => `Please give at least ${min} ${min === 1 ? "entry" : "entries"}`,
  tooMany: (max) => `Please give at most ${max} ${max === 1 ? "entry" : "entries"}`,
};
