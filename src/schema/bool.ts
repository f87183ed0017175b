import { error, ok } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";

const meanings: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["off", false],
  ["0", false],
]);

/**
 * Yes or no: a checkbox. `true`, `on` (what a browser sends for a checkbox without a value) and `1` are true; `false`,
 * `off`, `0`, an empty value and a field that was not sent are false: with the default `true`, a new form shows it checked,
 * and unchecking it counts. In JSON it is `true` or `false`, and must be there unless it has a default.
 */
export function bool(options?: FieldOptions<boolean>): Field<boolean> {
  return field(
    {
      kind: "bool",
      jsonSchema: { type: "boolean" },
      whenAbsent: false,
      decode: (input, messages) => {
        const value = meanings.get(input);
        return value === undefined ? error(messages.bool) : ok(value);
      },
      decodeJson: (input, messages) => (typeof input === "boolean" ? ok(input) : error(messages.bool)),
    },
    options,
  );
}
