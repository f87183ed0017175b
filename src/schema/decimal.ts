import { error, ok, type Result } from "../core/index.ts";
import { Decimal } from "../decimal/index.ts";
import { errors } from "./errors.ts";
import { type DecimalRange, type Field, field, type FieldDefinition, type FieldOptions } from "./field.ts";
import { type Messages, messages as currentMessages } from "./messages.ts";

/** Options of `Schema.decimal`. */
export interface DecimalOptions extends FieldOptions<string> {
  /** Maximum number of digits, including the fraction. Default 12. */
  readonly precision?: number;
  /** Number of digits of the fraction. Default 2. */
  readonly scale?: number;
  /** Minimum value, such as `"0.01"` or `0`. Default: none, apart from the digits. */
  readonly min?: Decimal.Value;
  /** Maximum value. Default: none, apart from the digits. */
  readonly max?: Decimal.Value;
}

type Separator = Messages["decimalSeparator"];

/** Texts of a form: a sign, digits, and a fraction after the separator. No separators of thousands. */
const patterns: Readonly<Record<Separator, RegExp>> = {
  ".": /^([+-]?)([0-9]+)(?:\.([0-9]*))?$/,
  ",": /^([+-]?)([0-9]+)(?:,([0-9]*))?$/,
};

/**
 * Makes a field of an exact decimal, such as an amount of money. Its value is a string with a point: `"12.50"`.
 *
 * A form takes and shows the separator of the current language, and refuses the other one, also between
 * thousands: `1.234` is never read as two different numbers. JSON has the point.
 *
 * @throws E_FIELD_DECIMAL unless both are whole numbers, the scale from 0 and the precision from 1 and the scale,
 *   E_FIELD_DECIMAL_RANGE for a bound with more digits or a minimum above the maximum, E_DECIMAL for a bound that is no decimal
 */
export function decimal(options: DecimalOptions = {}): Field<string> {
  const range = rangeOf(options);
  const { scale, maxIntegerDigits, min, max } = range;

  const decode = (input: string, messages: Messages, separator: Separator): Result<string> => {
    const [, sign, whole = "", fraction = ""] = patterns[separator].exec(input) ?? [];
    if (sign === undefined || fraction.length > scale) return error(messages.decimal(scale, separator));
    const digits = whole.replace(/^0+(?=[0-9])/, "");
    const isTooLong = digits !== "0" && digits.length > maxIntegerDigits;
    const amount = scale === 0 ? digits : `${digits}.${fraction.padEnd(scale, "0")}`;
    const value = sign === "-" && /[1-9]/.test(amount) ? `-${amount}` : amount;
    const isBelow = isTooLong ? sign === "-" : Decimal.compare(value, min) < 0;
    if (isBelow) return error(messages.tooSmall(min.replace(".", separator)));
    const isAbove = isTooLong || Decimal.compare(value, max) > 0;
    return isAbove ? error(messages.tooLarge(max.replace(".", separator))) : ok(value);
  };

  return field(
    {
      kind: "decimal",
      ...jsonSchemasOf(range),
      decimal: range.stored,
      encode: (value, { decimalSeparator } = currentMessages()) => value.replace(".", decimalSeparator),
      // A text input keeps the spaces of a pasted number.
      decode: (input, messages) => decode(input.trim(), messages, messages.decimalSeparator),
      decodeJson: (input, messages) => {
        if (typeof input !== "string" && typeof input !== "number") return error(messages.decimal(scale, "."));
        const result = decode(String(input), messages, ".");
        // A double has 15 exact digits: JSON.parse has rounded what had more.
        const isRounded = typeof input === "number" && String(input).replace(/^-?0?\.?0*|\./g, "").length > 15;
        return result.ok && isRounded ? error(messages.rounded) : result;
      },
    },
    { ...describeRange(range.stored), ...options },
  );
}

/** Digits and bounds of a field. Without bounds of its own, it has those of its digits. */
interface FieldRange {
  readonly scale: number;
  readonly maxIntegerDigits: number;
  readonly min: string;
  readonly max: string;
  readonly stored: DecimalRange;
}

function rangeOf(options: DecimalOptions): FieldRange {
  const { precision = 12, scale = 2 } = options;
  if (!Number.isInteger(precision) || !Number.isInteger(scale) || scale < 0 || precision < Math.max(1, scale)) {
    throw errors.E_FIELD_DECIMAL(precision, scale);
  }
  const maxIntegerDigits = precision - scale;
  const limit = `${"9".repeat(maxIntegerDigits) || "0"}${scale === 0 ? "" : `.${"9".repeat(scale)}`}`;
  const { min = `-${limit}`, max = limit } = options;
  const bounds = [`-${limit}`, min, max, limit];
  const isOrdered = bounds.every((bound, index) => index === 0 || Decimal.compare(bounds[index - 1]!, bound) <= 0);
  const [lower, upper] = [Decimal.round(min, scale), Decimal.round(max, scale)];
  if (!isOrdered || Decimal.compare(lower, min) !== 0 || Decimal.compare(upper, max) !== 0) {
    throw errors.E_FIELD_DECIMAL_RANGE(String(min), String(max), limit);
  }
  const stored = {
    precision,
    scale,
    min: options.min === undefined ? undefined : lower,
    max: options.max === undefined ? undefined : upper,
  };
  return { scale, maxIntegerDigits, min: lower, max: upper, stored };
}

/** Returns the JSON Schemas. The patterns apply to texts, `minimum` and `maximum` to numbers: no keyword compares texts. */
function jsonSchemasOf({ scale, maxIntegerDigits, stored: { min, max } }: FieldRange) {
  const integerPattern = maxIntegerDigits === 0 ? "0+" : `0*[0-9]{1,${maxIntegerDigits}}`;
  const sign = min === undefined || min.startsWith("-") ? "-?" : "";
  return {
    jsonSchema: {
      type: ["string", "number"],
      pattern: `^[+-]?${integerPattern}(\\.[0-9]{0,${scale}})?$`,
      ...(min === undefined ? {} : { minimum: Number(min) }),
      ...(max === undefined ? {} : { maximum: Number(max) }),
    },
    jsonOutput: { type: "string", pattern: `^${sign}${integerPattern}${scale === 0 ? "" : `\\.[0-9]{${scale}}`}$` },
  } satisfies Partial<FieldDefinition<string>>;
}

/** Returns the description of the bounds, for readers of the API documentation. */
function describeRange({ min, max }: DecimalRange): FieldOptions<string> {
  if (min !== undefined && max !== undefined) return { description: `From ${min} to ${max}` };
  if (min !== undefined) return { description: `${min} or more` };
  return max === undefined ? {} : { description: `${max} or less` };
}
