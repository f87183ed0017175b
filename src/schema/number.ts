import { error, ok, type Result } from "../core/index.ts";
import { errors } from "./errors.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Messages } from "./messages.ts";

/** Options of `Schema.int` and `Schema.float`. */
export interface NumberOptions extends FieldOptions<number> {
  /** Minimum value. Default for `int`: −(2⁵³−1). */
  readonly min?: number;
  /** Maximum value. Default for `int`: 2⁵³−1. */
  readonly max?: number;
}

/** Makes an integer field. A form accepts a sign and ASCII digits, so no `1e3`, `0x1F` or full-width digits. */
export function int(options: NumberOptions = {}): Field<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const checkRange = (value: number, messages: Messages): Result<number> => inRange(value, { min, max }, messages);
  return field(
    {
      kind: "int",
      jsonSchema: { type: "integer", ...bounds(options) },
      decode: (input, messages) =>
        /^[+-]?[0-9]+$/.test(input) ? checkRange(Number(input), messages) : error(messages.int),
      decodeJson: (input, messages) =>
        Number.isInteger(input) ? checkRange(input as number, messages) : error(messages.int),
    },
    options,
  );
}

/** Makes a field of a finite number, with or without a fraction or an exponent. For money use `Schema.decimal`. */
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

/** Options of `Schema.decimal`. */
export interface DecimalOptions extends FieldOptions<string> {
  /** Maximum number of digits, including the fraction. Default 12. */
  readonly precision?: number;
  /** Number of digits of the fraction. Default 2. */
  readonly scale?: number;
}

/**
 * Makes a field of an exact decimal, such as an amount of money. Its value is a string: `"12.50"`.
 *
 * @throws E_FIELD_DECIMAL unless both are whole numbers, the scale from 0 and the precision from 1 and the scale
 */
export function decimal(options: DecimalOptions = {}): Field<string> {
  const { precision = 12, scale = 2 } = options;
  if (!Number.isInteger(precision) || !Number.isInteger(scale) || scale < 0 || precision < Math.max(1, scale)) {
    throw errors.E_FIELD_DECIMAL(precision, scale);
  }
  const maxIntegerDigits = precision - scale;
  const limit = `${"9".repeat(maxIntegerDigits) || "0"}${scale === 0 ? "" : `.${"9".repeat(scale)}`}`;
  const integerPattern = maxIntegerDigits === 0 ? "0+" : `0*[0-9]{1,${maxIntegerDigits}}`;

  const decode = (input: string, messages: Messages): Result<string> => {
    const [, sign, whole = "", fraction = ""] = /^([+-]?)([0-9]+)(?:\.([0-9]*))?$/.exec(input) ?? [];
    if (sign === undefined || fraction.length > scale) return error(messages.decimal(scale));
    const digits = whole.replace(/^0+(?=[0-9])/, "");
    if (digits !== "0" && digits.length > maxIntegerDigits)
      return error(sign === "-" ? messages.tooSmall(`-${limit}`) : messages.tooLarge(limit));
    const amount = scale === 0 ? digits : `${digits}.${fraction.padEnd(scale, "0")}`;
    return ok(sign === "-" && /[1-9]/.test(amount) ? `-${amount}` : amount);
  };

  return field(
    {
      kind: "decimal",
      // The pattern applies to strings only. A number is checked by its decimal digits.
      jsonSchema: { type: ["string", "number"], pattern: `^[+-]?${integerPattern}(\\.[0-9]{0,${scale}})?$` },
      jsonOutput: { type: "string", pattern: `^-?${integerPattern}${scale === 0 ? "" : `\\.[0-9]{${scale}}`}$` },
      decode,
      decodeJson: (input, messages) => {
        if (typeof input !== "string" && typeof input !== "number") return error(messages.decimal(scale));
        const result = decode(String(input), messages);
        // A double has 15 exact digits: JSON.parse has rounded what had more.
        const isRounded = typeof input === "number" && String(input).replace(/^-?0?\.?0*|\./g, "").length > 15;
        return result.ok && isRounded ? error(messages.rounded) : result;
      },
    },
    options,
  );
}

/** Returns the bounds for a JSON Schema. Defaults, which apply to every number of the kind, are omitted. */
function bounds({ min, max }: NumberOptions): JsonSchema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

function inRange(value: number, { min, max }: NumberOptions, messages: Messages): Result<number> {
  if (min !== undefined && value < min) return error(messages.tooSmall(min));
  if (max !== undefined && value > max) return error(messages.tooLarge(max));
  // Converts -0 to 0: they print alike and are equal by ===, but Object.is distinguishes them.
  return ok(value === 0 ? 0 : value);
}
