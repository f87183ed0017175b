/**
 * What a form tells its user, in plain words. Replace any of them, for another tone or language:
 * `Schema.record(fields, { messages: { missing: "Bitte ausfüllen" } })`.
 */
export interface Messages {
  /** The field was not sent, or is empty where something must stand. */
  readonly missing: string;
  /** The field was sent more than once. */
  readonly repeated: string;
  /** The text holds NUL or half of a character (a lone surrogate), which no database takes. */
  readonly characters: string;
  /** JSON gave something else than a text. */
  readonly string: string;
  readonly bool: string;
  readonly int: string;
  readonly float: string;
  readonly decimal: (scale: number) => string;
  readonly date: string;
  readonly datetime: string;
  readonly uuid: string;
  readonly json: string;
  readonly oneOf: (choices: readonly string[]) => string;
  readonly tooShort: (min: number) => string;
  readonly tooLong: (max: number) => string;
  readonly tooSmall: (min: number | string) => string;
  readonly tooLarge: (max: number | string) => string;
  /** A JSON body, or what stands in it for a record, is no object. */
  readonly record: string;
  /** JSON gave something else than an array. */
  readonly list: string;
  readonly tooFew: (min: number) => string;
  readonly tooMany: (max: number) => string;
}

export const englishMessages: Messages = {
  missing: "Please fill this in",
  repeated: "Please give one value only",
  characters: "This holds a character that cannot be stored",
  string: "Please give a text",
  bool: "Please choose yes or no",
  int: "Please enter a whole number",
  float: "Please enter a number",
  decimal: (scale) =>
    scale === 0 ? "Please enter a whole number" : `Please enter a number with at most ${scale} decimal places`,
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
