import { error, hasFiniteNumbers, ok, parseJson, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";
import { withLineFeeds } from "./string.ts";

/**
 * Makes a field whose value is one of the given strings.
 *
 * @example
 * Schema.oneOf(["low", "high"], { default: "low" }); // "low" | "high"
 */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options?: FieldOptions<NoInfer<Choice>>,
): Field<Choice> {
  const decode = (input: unknown, message: string): Result<Choice> => {
    const match = choices.find((choice) => choice === input);
    return match === undefined ? error(message) : ok(match);
  };
  return field(
    {
      kind: "oneOf",
      // Browsers send every line break as CR LF.
      // A form shows labels: its message does not list the values.
      decode: (input, { option }) => decode(choices.includes(input as Choice) ? input : withLineFeeds(input), option),
      decodeJson: (input, messages) => decode(input, messages.oneOf(choices)),
      acceptsEmpty: (choices as readonly string[]).includes(""),
      jsonSchema: { type: "string", enum: [...choices] },
    },
    options,
  );
}

/** Makes a UUID field. It accepts any version and returns lower case. */
export function uuid(options?: FieldOptions<string>): Field<string> {
  const decode = (input: unknown, messages: Messages): Result<string> =>
    typeof input === "string" && isUuid(input) ? ok(input.toLowerCase()) : error(messages.uuid);
  return field({ kind: "uuid", decode, decodeJson: decode, jsonSchema: { type: "string", format: "uuid" } }, options);
}

/** Returns true if a text has the format of a UUID (RFC 9562 §4), of any version and letter case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/**
 * Makes a field of any JSON value, sent in a form as JSON text. Refuses numbers that JavaScript cannot represent, such as
 * `1e400`. Check it with `validate` before you trust it.
 */
export function json(options?: FieldOptions<unknown>): Field<unknown> {
  const decodeJson = (input: unknown, messages: Messages): Result<unknown> =>
    hasFiniteNumbers(input) ? ok(input) : error(messages.json);
  return field<unknown>(
    {
      kind: "json",
      decode: (input, messages) => {
        try {
          return decodeJson(parseJson(input), messages);
        } catch {
          return error(messages.json);
        }
      },
      decodeJson,
      encode: (value) => JSON.stringify(value),
    },
    options,
  );
}

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["off", false],
  ["0", false],
]);

/**
 * Makes a boolean field, for a checkbox.
 *
 * In a form, `true`, `on` (the value that browsers send by default) and `1` are true. `false`, `off`, `0`, an empty value
 * and an absent field are false, also with the default `true`: a new form then shows the box checked, and unchecking it
 * takes effect. In JSON it is `true` or `false`, and required unless it has a default.
 */
export function bool(options?: FieldOptions<boolean>): Field<boolean> {
  return field(
    {
      kind: "bool",
      jsonSchema: { type: "boolean" },
      absentFormValue: false,
      decode: (input, messages) => {
        const value = booleanTexts.get(input);
        return value === undefined ? error(messages.bool) : ok(value);
      },
      decodeJson: (input, messages) => (typeof input === "boolean" ? ok(input) : error(messages.bool)),
    },
    options,
  );
}
