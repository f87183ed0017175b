import { LanguageInternals } from "../language/index.ts";
import { humanize, ownValue } from "./names.ts";

/** Labels of fields and of their values. An object with getters, such as a group of a catalogue, is read when a page is rendered. */
export interface FieldTexts {
  /** Labels of fields and columns by name. A part of a list or of a record has the name `lines.title`. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** Labels of the values of a field, by field and value. */
  readonly choices?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Returns the label of a field: by default "Added" and "Changed" for the timestamps of an item, otherwise the words of its name. */
export function labelOf(texts: FieldTexts | undefined, name: string): string {
  const label = texts && ownValue(texts.fields, labelPath(name));
  if (label !== undefined) return label;
  if (name !== "created_at" && name !== "updated_at") return humanize(name);
  const { added, changed } = LanguageInternals.frameworkTexts().components;
  return name === "created_at" ? added : changed;
}

/** Returns the label of a value of a field: by default the words of the value. */
export function choiceLabelOf(texts: FieldTexts | undefined, name: string, value: string): string {
  return (texts && ownValue(ownValue(texts.choices, labelPath(name)), value)) ?? humanize(value);
}

/** Returns the name of a field without the numbers of rows: `lines.title` for `lines.0.title`. */
export const labelPath = (name: string): string => (name.includes(".") ? name.replaceAll(/\.\d+(?=\.|$)/g, "") : name);
