/** One field of a form: its name, what was typed, and what is wrong with it. */
export type FormField = readonly [name: string, input: string | undefined, error: string | undefined];

/**
 * What was typed into a form, and what is wrong with it, field by field.
 *
 * The input is what was sent, kept even when it could not be read, so that the form can be shown again as it was.
 */
export type Form = readonly FormField[];

/** A form that nobody has filled in yet. */
export const empty: Form = Object.freeze([]);

/** What was typed into a field and what is wrong with it; both `undefined` for a field that the form does not have. */
export function find(form: Form, name: string): readonly [value: string | undefined, error: string | undefined] {
  const found = form.find((field) => field[0] === name);
  return [found?.[1], found?.[2]];
}

/**
 * The names of the items of a list, in order: `tags.0`, `tags.1`. They are the names of inputs too, and `find` gives what
 * was typed into an item, or with `${item}.title` into a field of a list of records.
 */
export function items(form: Form, name: string): readonly string[] {
  return [...new Set(form.flatMap((field) => itemOf(field, name) ?? []))];
}

function itemOf([each]: FormField, name: string): string | undefined {
  if (!each.startsWith(name) || each[name.length] !== ".") return undefined;
  const end = each.indexOf(".", name.length + 1);
  return end === -1 ? each : each.slice(0, end);
}

/**
 * Whether a checkbox is to be shown checked: `true`, `on` or `1` was sent for it, or is stored. With a value, whether that is
 * in a list: for the boxes of a group, and the options of a select.
 */
export function isChecked(form: Form, name: string, value?: string): boolean {
  if (value === undefined) return ["true", "on", "1"].includes(find(form, name)[0] ?? "");
  return form.some((field) => field[1] === value && itemOf(field, name) === field[0]);
}

/** Whether any field has an error. */
export function hasErrors(form: Form): boolean {
  return form.some(([, , error]) => error !== undefined);
}

/** The errors by field name; fields without one are left out. */
export function errors(form: Form): Readonly<Record<string, string>> {
  return Object.fromEntries(form.flatMap(([name, , error]) => (error === undefined ? [] : [[name, error]])));
}

/** The form with these errors, in place of its own where it has some. Fields that it lacks are added, without input. */
export function withErrors(form: Form, messages: Readonly<Record<string, string>>): Form {
  const given = new Map(Object.entries(messages));
  const known = new Set(form.map(([name]) => name));
  return [
    ...form.map(([name, input, error]): FormField => [name, input, given.get(name) ?? error]),
    ...[...given].filter(([name]) => !known.has(name)).map(([name, error]): FormField => [name, undefined, error]),
  ];
}
