/** Name of a form field of a record: a member, or a part of a list or a nested record, such as `lines.0.title`. */
export type FieldName<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/**
 * Returns the words of a name as a label: `published_on` → `Published on`, `author_id` → `Author`, `lines.0.unitPrice` →
 * `Unit price`. Texts that are no names stay as they are.
 */
export function humanize(name: string): string {
  const last = name.split(".").findLast((part) => !/^[0-9]+$/.test(part)) ?? name;
  if (!/^[a-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/.test(last)) return last;
  const words = last.replace(/_id$/, "").replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, " ");
  return capitalize(words.toLowerCase());
}

/** Returns words with a capital first letter. */
export const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Returns the `id` of a field's control. Characters that end an id in a list or a selector are encoded. */
export function idOf(name: string, prefix = ""): string {
  const encode = (character: string): string => `_${character.codePointAt(0)?.toString(16)}_`;
  return prefix + name.replaceAll(/[^\w.-]/gu, encode);
}

/** Returns the own property of a record; `undefined` for a name such as `constructor`, which every object inherits. */
export function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns true for an object that is no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
