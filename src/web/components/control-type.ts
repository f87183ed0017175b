import type { FieldDescription } from "./field-description.ts";
import type { InputAttributes } from "./control.ts";

/** Kind of a form control. `checkboxes` and `radio` are groups. */
export type ControlType =
  | "checkbox"
  | "checkboxes"
  | "color"
  | "date"
  | "datetime-local"
  | "email"
  | "hidden"
  | "number"
  | "password"
  | "radio"
  | "search"
  | "select"
  | "tel"
  | "text"
  | "textarea"
  | "time"
  | "url";

/**
 * Returns the control that suits a field: with choices a select control, or checkboxes for a list; `undefined` for another
 * list or a record, which has several controls.
 */
export function controlTypeOf(
  { schema, kind, isSensitive }: FieldDescription,
  hasChoices: boolean,
): ControlType | undefined {
  const {
    type,
    format,
    enum: choices,
    items,
    maxLength = 0,
  } = schema as {
    readonly type?: unknown;
    readonly format?: string;
    readonly enum?: unknown;
    readonly items?: { readonly enum?: unknown };
    readonly maxLength?: number;
  };
  if (type === "object") return undefined;
  if (type === "array") return hasChoices || items?.enum !== undefined ? "checkboxes" : undefined;
  if (isSensitive) return "password";
  if (hasChoices || choices !== undefined) return "select";
  if (type === "boolean") return "checkbox";
  if (type === "integer" || type === "number" || kind === "decimal") return "number";
  if (format !== undefined && formatTypes.has(format)) return formatTypes.get(format);
  return kind === "text" || kind === "json" || maxLength > maxLineLength ? "textarea" : "text";
}

/** Maximum length of a text that fits an input of one line, in characters: the default of `Schema.string`. */
const maxLineLength = 255;

const formatTypes: ReadonlyMap<string, ControlType> = new Map([
  ["date", "date"],
  ["date-time", "datetime-local"],
  ["email", "email"],
  ["uri", "url"],
  ["time", "time"],
]);

/** Returns the constraints of a field for an input of this type. They never refuse a value that the schema accepts. */
export function constraintsOf({ schema }: FieldDescription, type: ControlType): Partial<InputAttributes> {
  const { minimum, maximum, minLength = 0, maxLength } = schema as Readonly<Record<string, number | undefined>>;
  if (type === "number") {
    const isInteger = schema["type"] === "integer";
    return {
      step: isInteger ? undefined : "any",
      min: minimum?.toString(),
      max: maximum?.toString(),
      // The keyboard of `numeric` may have no minus sign.
      inputmode: isInteger && (minimum ?? -1) >= 0 ? "numeric" : undefined,
    };
  }
  if (schema["type"] !== "string" || maxLength === undefined) return {};
  // Browsers count UTF-16 code units, schemas count characters. A character has at most two code units.
  return { minlength: minLength > 1 ? minLength : undefined, maxlength: 2 * maxLength };
}

/** Returns the choices of a field's schema. */
export function choicesOf({ schema }: FieldDescription): readonly string[] | undefined {
  const { enum: choices, items } = schema as { readonly enum?: unknown; readonly items?: { readonly enum?: unknown } };
  const values = choices ?? items?.enum;
  return Array.isArray(values) ? (values as unknown[]).filter((value) => typeof value === "string") : undefined;
}
