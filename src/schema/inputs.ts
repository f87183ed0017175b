import { error, type Result } from "../core/index.ts";
import type { AnyField } from "./field.ts";
import type { Messages } from "./messages.ts";

type FormEntry = readonly [name: string, value: string];

/** Pairs of name and text, as a form sends them. `URLSearchParams` is one. */
export type FormEntries = Iterable<FormEntry>;

/** Members of a record by name: its fields, and its lists and nested records. */
export interface RecordMembers {
  readonly fields: ReadonlyMap<string, AnyField>;
  readonly composites: ReadonlyMap<string, unknown>;
}

/** Result of decoding a field, with its input as a form shows it. */
export interface FieldResult {
  readonly input: string | undefined;
  readonly result: Result<unknown>;
}

/** Input of a record, from a form or from JSON. */
export interface RecordInput {
  /** Returns true if the input contains the member. */
  readonly isSent: (name: string) => boolean;
  /** Decodes a field. */
  readonly read: (name: string, field: AnyField) => FieldResult;
  /** Returns the input of a list or nested record. */
  readonly member: (name: string) => MemberInput;
}

/** Input of a list, of a nested record, or of an item of a list. */
export interface MemberInput {
  /** True if JSON does not contain it. Always false for a form: it sends nothing for an empty list. */
  readonly isMissing: boolean;
  /** True if it is missing, `null`, or in a form contains only empty texts. */
  readonly isEmpty: boolean;
  /** Decodes it as a field. */
  readonly read: (field: AnyField, messages: Messages) => FieldResult;
  /** Returns it as the input of a record. */
  readonly asRecord: (members: RecordMembers, messages: Messages) => RecordInput;
  /** Returns the items of a list, or `undefined` if it is no list. Reads at most `maxItems` items of JSON. */
  readonly items: (maxItems: number) => readonly MemberInput[] | undefined;
}

/** Returns the input of a record from a form. Ignores names that are not members. */
export function formRecordInput(
  entries: FormEntries,
  { fields, composites }: RecordMembers,
  messages: Messages,
): RecordInput {
  const texts = new Map<string, string>();
  const repeatedNames = new Set<string>();
  let nestedEntries: Map<string, FormEntry[]> | undefined;
  for (const [name, text] of entries) {
    if (texts.has(name)) repeatedNames.add(name);
    else if (fields.has(name)) texts.set(name, text);
    else if (composites.size > 0) {
      const [outer, inner] = splitName(name);
      if (composites.has(outer)) appendEntry((nestedEntries ??= new Map()), outer, [inner, text]);
    }
  }
  return {
    isSent: (name) => texts.has(name) || nestedEntries?.has(name) === true,
    read: (name, field) => {
      const input = texts.get(name);
      return { input, result: repeatedNames.has(name) ? error(messages.repeated) : field.decode(input, messages) };
    },
    member: (name) => formMemberInput(nestedEntries?.get(name) ?? []),
  };
}

/** Returns the input of a member from its form entries, whose names are relative to it. */
function formMemberInput(entries: readonly FormEntry[]): MemberInput {
  return {
    isMissing: false,
    isEmpty: entries.every(isEmpty),
    read: (field, messages) => {
      const [first, second] = entries.filter(([name]) => name === "");
      const input = first?.[1];
      return { input, result: second === undefined ? field.decode(input, messages) : error(messages.repeated) };
    },
    asRecord: (members, messages) => formRecordInput(entries, members, messages),
    items: () => groupItems(entries).map(formMemberInput),
  };
}

const isEmpty = ([, text]: FormEntry): boolean => text === "";

// Up to 15 digits: scripts use the time in milliseconds as the index of a new row. The index only groups and orders
// entries. It never sets the length of an array.
const indexPattern = /^(?:0|[1-9][0-9]{0,14})$/;

/**
 * Groups the entries of a list by item and drops empty items. Entries under the list's own name, `tags`, come first.
 * Entries with an index, `lines.0.title`, follow in the order of the indices.
 */
function groupItems(entries: readonly FormEntry[]): readonly (readonly FormEntry[])[] {
  const unindexed: FormEntry[][] = [];
  const byIndex = new Map<string, FormEntry[]>();
  for (const entry of entries) {
    const [name, text] = entry;
    const [outer, inner] = splitName(name);
    if (name === "") unindexed.push([entry]);
    else if (indexPattern.test(outer)) appendEntry(byIndex, outer, [inner, text]);
  }
  const indexed = [...byIndex].sort(([left], [right]) => Number(left) - Number(right)).map(([, item]) => item);
  return [...unindexed, ...indexed].filter((item) => !item.every(isEmpty));
}

function splitName(name: string): readonly [outer: string, inner: string] {
  const dot = name.indexOf(".");
  return dot === -1 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
}

function appendEntry(map: Map<string, FormEntry[]>, key: string, entry: FormEntry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

const notAnObject: MemberInput = jsonMemberInput(false);

/** Returns the input of a record from JSON. If the body is not an object, each field has an error. */
export function jsonRecordInput(body: unknown, messages: Messages): RecordInput {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return {
      isSent: () => true,
      read: () => ({ input: undefined, result: error(messages.record) }),
      member: () => notAnObject,
    };
  }
  const isSent = (name: string): boolean => Object.hasOwn(body, name);
  const valueOf = (name: string): unknown =>
    isSent(name) ? (body as Readonly<Record<string, unknown>>)[name] : undefined;
  return {
    isSent,
    read: (name, field) => readJson(valueOf(name), field, messages),
    member: (name) => jsonMemberInput(valueOf(name)),
  };
}

function readJson(value: unknown, field: AnyField, messages: Messages): FieldResult {
  const input = typeof value === "string" ? value : JSON.stringify(value);
  return { input, result: field.decodeJson(value, messages) };
}

/** Returns the input of a member from JSON. */
export function jsonMemberInput(value: unknown): MemberInput {
  return {
    isMissing: value === undefined,
    isEmpty: value === undefined || value === null,
    read: (field, messages) => readJson(value, field, messages),
    asRecord: (_, messages) => jsonRecordInput(value === undefined ? {} : value, messages),
    items: (maxItems) => (Array.isArray(value) ? value.slice(0, maxItems).map(jsonMemberInput) : undefined),
  };
}
