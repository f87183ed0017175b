import { error, ok, type Result } from "../core/index.ts";
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
