import { error, type Result } from "../core/index.ts";
import type { AnyField } from "./field.ts";
import type { Messages } from "./messages.ts";

/** Pairs of name and text, as a form sends them. `URLSearchParams` is one. */
export type Entries = Iterable<readonly [name: string, value: string]>;

/** What was sent, from a form or as JSON. */
export interface Inputs {
  readonly isSent: (name: string) => boolean;
  /** What was sent for a field, as a form shows it, and what was read from it. */
  readonly read: (
    name: string,
    field: AnyField,
  ) => { readonly shown: string | undefined; readonly result: Result<unknown> };
}

/** What a form sent. Names that are no field are skipped. */
export function formInputs(entries: Entries, fields: ReadonlyMap<string, AnyField>, messages: Messages): Inputs {
  const texts = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, text] of entries) {
    if (texts.has(name)) repeated.add(name);
    else if (fields.has(name)) texts.set(name, text);
  }
  return {
    isSent: (name) => texts.has(name),
    read: (name, field) => {
      const shown = texts.get(name);
      return { shown, result: repeated.has(name) ? error(messages.repeated) : field.decode(shown, messages) };
    },
  };
}

/** What a JSON body holds. When it is no object, each field has that as its error. */
export function jsonInputs(body: unknown, messages: Messages): Inputs {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { isSent: () => true, read: () => ({ shown: undefined, result: error(messages.record) }) };
  }
  const isSent = (name: string): boolean => Object.hasOwn(body, name);
  return {
    isSent,
    read: (name, field) => {
      const input: unknown = isSent(name) ? (body as Readonly<Record<string, unknown>>)[name] : undefined;
      const shown = typeof input === "string" ? input : JSON.stringify(input);
      return { shown, result: field.decodeJson(input, messages) };
    },
  };
}
