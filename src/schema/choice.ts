import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";

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
  const decode = (input: unknown, messages: Messages): Result<Choice> => {
    const match = choices.find((choice) => choice === input);
    return match === undefined ? error(messages.oneOf(choices)) : ok(match);
  };
  return field(
    {
      kind: "oneOf",
      decode,
      decodeJson: decode,
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

/** Makes a field of any JSON value, sent in a form as JSON text. Check it with `validate` before you trust it. */
export function json(options?: FieldOptions<unknown>): Field<unknown> {
  return field<unknown>(
    {
      kind: "json",
      decode: (input, messages) => {
        try {
          return ok(JSON.parse(input) as unknown);
        } catch {
          return error(messages.json);
        }
      },
      decodeJson: (input) => ok(input),
      encode: (value) => JSON.stringify(value),
    },
    options,
  );
}
