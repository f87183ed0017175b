/** Field of a form: its name, its input and its error message. */
export type FormField = readonly [name: string, input: string | undefined, error: string | undefined];

/**
 * Form: the input and the error message of each field.
 *
 * The input is kept even if it could not be decoded, so that the form can be shown again as it was sent.
 */
export type Form = readonly FormField[];

/** Returns the input and the error message of a field. Both are `undefined` if the form does not have the field. */
export function find(form: Form, name: string): readonly [value: string | undefined, error: string | undefined] {
  const match = form.find((field) => field[0] === name);
  return [match?.[1], match?.[2]];
}

/**
 * Returns the names of the items of a list, in order: `tags.0`, `tags.1`. They are also the names of the inputs. `find`
 * looks up an item by this name, and a field in a list of records by `${item}.title`.
 */
export function items(form: Form, name: string): readonly string[] {
  return [...new Set(form.flatMap((field) => itemName(field, name) ?? []))];
}

function itemName([fieldName]: FormField, listName: string): string | undefined {
  if (!fieldName.startsWith(listName) || fieldName[listName.length] !== ".") return undefined;
  const end = fieldName.indexOf(".", listName.length + 1);
  return end === -1 ? fieldName : fieldName.slice(0, end);
}

/**
 * Returns true if a checkbox is to be shown checked: if its input is `true`, `on` or `1`. With a value, returns true if a
 * list contains the value: for the checkboxes of a group, and the options of a select.
 */
export function isChecked(form: Form, name: string, value?: string): boolean {
  if (value === undefined) return ["true", "on", "1"].includes(find(form, name)[0] ?? "");
  return form.some((field) => field[1] === value && itemName(field, name) === field[0]);
}

/** Returns the error messages by field name. Fields without an error are omitted. */
export function errors(form: Form): Readonly<Record<string, string>> {
  return Object.fromEntries(form.flatMap(([name, , error]) => (error === undefined ? [] : [[name, error]])));
}

/** Returns the form with these errors, which replace existing ones. Adds missing fields, without input. */
export function withErrors(form: Form, messages: Readonly<Record<string, string>>): Form {
  const newErrors = new Map(Object.entries(messages));
  const existingNames = new Set(form.map(([name]) => name));
  return [
    ...form.map(([name, input, error]): FormField => [name, input, newErrors.get(name) ?? error]),
    ...[...newErrors]
      .filter(([name]) => !existingNames.has(name))
      .map(([name, error]): FormField => [name, undefined, error]),
  ];
}
