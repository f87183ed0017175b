import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";

/** Options of `Schema.string` and `Schema.text`. Lengths are in characters (code points), as in databases. */
export interface StringOptions extends FieldOptions<string> {
  /** Minimum length. Default 0: an empty text is a value. */
  readonly min?: number;
  /** Maximum length. Default 255 for `string`, 65,535 for `text`. */
  readonly max?: number;
  /** True if white space at both ends is removed before validation. The form keeps it. Default `false`. */
  readonly trim?: boolean;
}

/**
 * Makes a field of a short text. Line breaks become LF, which counts as one character. Refuses NUL and lone surrogates,
 * because databases treat them differently.
 */
export function string(options?: StringOptions): Field<string> {
  return textField("string", 255, options);
}

/**
 * Makes a field of a long text. Line breaks become LF, which counts as one character. Refuses NUL and lone surrogates,
 * because databases treat them differently.
 */
export function text(options?: StringOptions): Field<string> {
  return textField("text", 65_535, options);
}

function textField(kind: string, defaultMax: number, options: StringOptions = {}): Field<string> {
  const { min = 0, max = defaultMax, trim = false } = options;

  const bounds = { ...(min > 0 ? { minLength: min } : {}), maxLength: max };

  const decode = (input: string, messages: Messages): Result<string> => {
    if (input.includes("\0") || !input.isWellFormed()) return error(messages.characters);
    const unified = withLineFeeds(input);
    const value = trim ? unified.trim() : unified;
    if (isShorter(value, min)) return error(value === "" ? messages.missing : messages.tooShort(min));
    return isShorter(value, max + 1) ? ok(value) : error(messages.tooLong(max));
  };

  return field(
    {
      kind,
      acceptsEmpty: true,
      // A blank text satisfies minLength, but nothing remains of it after trimming: the pattern refuses it.
      jsonSchema: { type: "string", ...bounds, ...(trim && min > 0 ? { pattern: "\\S" } : {}) },
      jsonOutput: { type: "string", ...bounds },
      decode,
      decodeJson: (input, messages) => (typeof input === "string" ? decode(input, messages) : error(messages.string)),
    },
    options,
  );
}

/** Returns a text with LF as its only line break. Browsers send CR LF in a form, and count one character. */
export const withLineFeeds = (input: string): string => (input.includes("\r") ? input.replace(/\r\n?/g, "\n") : input);

// A code point has one or two code units. The number of code units decides, except between `length` and `2 * length`.
function isShorter(value: string, length: number): boolean {
  if (value.length < length) return true;
  return value.length < 2 * length && Array.from(value).length < length;
}
