import { error, ok } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";

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
