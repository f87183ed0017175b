import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";

/** What a text field can be given. Lengths are in characters (code points), as databases count them. */
export interface StringOptions extends FieldOptions<string> {
  /** The least length. Default 0: an empty text is a value. */
  readonly min?: number;
  /** The greatest length. Default 255 of `string`, 65,535 of `text`. */
  readonly max?: number;
  /** Removes white space at both ends before the value is judged; the form keeps it. Default `false`. */
  readonly trim?: boolean;
}

/** A short text, kept as typed. NUL and lone surrogates are refused: databases treat them differently. */
export function string(options?: StringOptions): Field<string> {
  return textField("string", 255, options);
}

/** A long text, kept as typed; otherwise as `string`. */
export function text(options?: StringOptions): Field<string> {
  return textField("text", 65_535, options);
}

function textField(kind: string, longest: number, options: StringOptions = {}): Field<string> {
  const { min = 0, max = longest, trim = false } = options;

  const bounds = { ...(min > 0 ? { minLength: min } : {}), maxLength: max };

  const decode = (input: string, messages: Messages): Result<string> => {
    if (input.includes("\0") || !input.isWellFormed()) return error(messages.characters);
    const value = trim ? input.trim() : input;
    if (isShorter(value, min)) return error(value === "" ? messages.missing : messages.tooShort(min));
    return isShorter(value, max + 1) ? ok(value) : error(messages.tooLong(max));
  };

  return field(
    {
      kind,
      takesEmpty: true,
      // A blank text has a length, and nothing that is left of it.
      jsonSchema: { type: "string", ...bounds, ...(trim && min > 0 ? { pattern: "\\S" } : {}) },
      jsonOutput: { type: "string", ...bounds },
      decode,
      decodeJson: (input, messages) => (typeof input === "string" ? decode(input, messages) : error(messages.string)),
    },
    options,
  );
}

// A code point takes one or two code units, so the units decide all but the cases between.
function isShorter(value: string, length: number): boolean {
  if (value.length < length) return true;
  return value.length < 2 * length && Array.from(value).length < length;
}
