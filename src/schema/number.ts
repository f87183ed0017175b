import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/** What a number field can be given. */
export interface NumberOptions extends FieldOptions<number> {
  /** The least value. Default of `int`: −(2⁵³−1). */
  readonly min?: number;
  /** The greatest value. Default of `int`: 2⁵³−1. */
  readonly max?: number;
}

/** A whole number: a sign and ASCII digits, nothing else; so no `1e3`, no `0x1F`, no full-width digits. */
export function int(options: NumberOptions = {}): Field<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const within = (value: number, messages: Messages): Result<number> => inRange(value, { min, max }, messages);
  return field(
    {
      kind: "int",
      jsonSchema: { type: "integer", ...bounds(options) },
      decode: (input, messages) =>
        /^[+-]?[0-9]+$/.test(input) ? within(Number(input), messages) : error(messages.int),
      decodeJson: (input, messages) =>
        Number.isInteger(input) ? within(input as number, messages) : error(messages.int),
    },
    options,
  );
}

/** A number with or without a fraction, `1e3` included; never infinite, never NaN. For money take `decimal`. */
export function float(options: NumberOptions = {}): Field<number> {
  const decode = (value: unknown, messages: Messages): Result<number> =>
    Number.isFinite(value) ? inRange(value as number, options, messages) : error(messages.float);
  return field(
    {
      kind: "float",
      jsonSchema: { type: "number", ...bounds(options) },
      decode: (input, messages) =>
        /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(input)
          ? decode(Number(input), messages)
          : error(messages.float),
      decodeJson: decode,
    },
    options,
  );
}

/** What a decimal field can be given. */
export interface DecimalOptions extends FieldOptions<string> {
  /** How many digits at most, those behind the point included. Default 12. */
  readonly precision?: number;
  /** How many digits stand behind the point. Default 2. */
  readonly scale?: number;
}

/** An exact number such as an amount of money, as a text with all digits behind the point: `"12.50"`. */
export function decimal(options: DecimalOptions = {}): Field<string> {
  const { precision = 12, scale = 2 } = options;
  const greatest = precision - scale;
  const integer = greatest === 0 ? "0+" : `0*[0-9]{1,${greatest}}`;

  const decode = (input: string, messages: Messages): Result<string> => {
    const [, sign, whole = "", fraction = ""] = /^([+-]?)([0-9]+)(?:\.([0-9]*))?$/.exec(input) ?? [];
    if (sign === undefined || fraction.length > scale) return error(messages.decimal(scale));
    const digits = whole.replace(/^0+(?=[0-9])/, "");
    if (digits !== "0" && digits.length > greatest) return error(messages.tooLarge("9".repeat(greatest)));
    const amount = scale === 0 ? digits : `${digits}.${fraction.padEnd(scale, "0")}`;
    return ok(sign === "-" && /[1-9]/.test(amount) ? `-${amount}` : amount);
  };

  return field(
    {
      kind: "decimal",
      // The pattern is for texts; a number is judged by its digits.
      jsonSchema: { type: ["string", "number"], pattern: `^[+-]?${integer}(\\.[0-9]{0,${scale}})?$` },
      jsonOutput: { type: "string", pattern: `^-?${integer}${scale === 0 ? "" : `\\.[0-9]{${scale}}`}$` },
      decode,
      decodeJson: (input, messages) =>
        typeof input === "string" || typeof input === "number"
          ? decode(String(input), messages)
          : error(messages.decimal(scale)),
    },
    options,
  );
}

/** The least and the greatest value in a JSON Schema. What every number of its kind keeps to is not said. */
function bounds({ min, max }: NumberOptions): JsonSchema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

function inRange(value: number, { min, max }: NumberOptions, messages: Messages): Result<number> {
  if (min !== undefined && value < min) return error(messages.tooSmall(min));
  if (max !== undefined && value > max) return error(messages.tooLarge(max));
  // No minus zero: it prints as 0 and is equal to it, but not the same value.
  return ok(value === 0 ? 0 : value);
}
