import { error, type Result } from "../core/index.ts";
import type { Composite } from "./composite.ts";
import type { AnyField } from "./field.ts";
import type { Messages } from "./messages.ts";

type Entry = readonly [name: string, value: string];

/** Pairs of name and text, as a form sends them. `URLSearchParams` is one. */
export type Entries = Iterable<Entry>;

/** The fields of a record by name, and its lists and records. */
export interface Members {
  readonly fields: ReadonlyMap<string, AnyField>;
  readonly composites: ReadonlyMap<string, Composite<unknown>>;
}

/** What was sent for a field, as a form shows it, and what was read from it. */
export interface FieldReading {
  readonly shown: string | undefined;
  readonly result: Result<unknown>;
}

/** What was sent for a record, from a form or as JSON. */
export interface Inputs {
  readonly isSent: (name: string) => boolean;
  readonly read: (name: string, field: AnyField) => FieldReading;
  /** What was sent for a list or a record in it. */
  readonly at: (name: string) => Input;
}

/** What was sent for one list or record, or for one item of a list. */
export interface Input {
  /** Whether JSON lacks it. What a form does not send is empty: a list of which nothing was chosen is never sent. */
  readonly isMissing: boolean;
  /** Whether it is not there, `null`, or in a form nothing but empty texts. */
  readonly isEmpty: boolean;
  readonly read: (field: AnyField, messages: Messages) => FieldReading;
  readonly inputs: (members: Members, messages: Messages) => Inputs;
  /** The items of a list; from JSON the first of them, as many as asked for. `undefined` when it is no list. */
  readonly items: (most: number) => readonly Input[] | undefined;
}

/** What a form sent. Names that are no field are skipped. */
export function formInputs(entries: Entries, { fields, composites }: Members, messages: Messages): Inputs {
  const texts = new Map<string, string>();
  const repeated = new Set<string>();
  let inside: Map<string, Entry[]> | undefined;
  for (const [name, text] of entries) {
    if (texts.has(name)) repeated.add(name);
    else if (fields.has(name)) texts.set(name, text);
    else if (composites.size > 0) {
      const [outer, inner] = split(name);
      if (composites.has(outer)) push((inside ??= new Map()), outer, [inner, text]);
    }
  }
  return {
    isSent: (name) => texts.has(name) || inside?.has(name) === true,
    read: (name, field) => {
      const shown = texts.get(name);
      return { shown, result: repeated.has(name) ? error(messages.repeated) : field.decode(shown, messages) };
    },
    at: (name) => formInput(inside?.get(name) ?? []),
  };
}

/** The entries of one place, by the names inside it. */
function formInput(entries: readonly Entry[]): Input {
  return {
    isMissing: false,
    isEmpty: entries.every(isEmpty),
    read: (field, messages) => {
      const [first, second] = entries.filter(([name]) => name === "");
      const shown = first?.[1];
      return { shown, result: second === undefined ? field.decode(shown, messages) : error(messages.repeated) };
    },
    inputs: (members, messages) => formInputs(entries, members, messages),
    items: () => itemsOf(entries).map(formInput),
  };
}

const isEmpty = ([, text]: Entry): boolean => text === "";

// Up to 15 digits, as scripts take the time in milliseconds for the index of a new row. An index only says what belongs
// together and in which order: no array is ever as long as it is great.
const index = /^(?:0|[1-9][0-9]{0,14})$/;

/** What was sent under the name of a list, `tags`, then what was sent by index, `lines.0.title`, without gaps and empty items. */
function itemsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const repeated: Entry[][] = [];
  const byIndex = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [name, text] = entry;
    const [outer, inner] = split(name);
    if (name === "") repeated.push([entry]);
    else if (index.test(outer)) push(byIndex, outer, [inner, text]);
  }
  const sorted = [...byIndex].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  return [...repeated, ...sorted].filter((item) => !item.every(isEmpty));
}

function split(name: string): readonly [outer: string, inner: string] {
  const dot = name.indexOf(".");
  return dot === -1 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
}

function push(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

const noObject: Input = jsonInput(false);

/** What a JSON body holds. When it is no object, each field has that as its error. */
export function jsonInputs(body: unknown, messages: Messages): Inputs {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return {
      isSent: () => true,
      read: () => ({ shown: undefined, result: error(messages.record) }),
      at: () => noObject,
    };
  }
  const isSent = (name: string): boolean => Object.hasOwn(body, name);
  const valueOf = (name: string): unknown =>
    isSent(name) ? (body as Readonly<Record<string, unknown>>)[name] : undefined;
  return {
    isSent,
    read: (name, field) => readJson(valueOf(name), field, messages),
    at: (name) => jsonInput(valueOf(name)),
  };
}

function readJson(value: unknown, field: AnyField, messages: Messages): FieldReading {
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return { shown, result: field.decodeJson(value, messages) };
}

/** What JSON holds in one place. */
export function jsonInput(value: unknown): Input {
  return {
    isMissing: value === undefined,
    isEmpty: value === undefined || value === null,
    read: (field, messages) => readJson(value, field, messages),
    inputs: (_, messages) => jsonInputs(value === undefined ? {} : value, messages),
    items: (most) => (Array.isArray(value) ? value.slice(0, most).map(jsonInput) : undefined),
  };
}
