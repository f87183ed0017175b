// Random changes of described tables with rows.
import { Schema } from "../../src/schema/index.ts";
import * as Row from "../../src/database/row/row.ts";
import { Table } from "../../src/entry-points/table.ts";
import type { RelatedTable } from "../../src/table/relation.ts";

/** Described field, as plain data. */
export interface Field {
  readonly type: "string" | "text" | "int" | "float" | "decimal" | "bool" | "date" | "choice";
  readonly max: number;
  readonly scale: number;
  readonly words: readonly string[];
  readonly isOptional: boolean;
  readonly hasDefault: boolean;
}

/** Described table, as plain data. */
export interface Shape {
  readonly fields: Readonly<Record<string, Field>>;
  readonly unique: readonly string[];
  readonly indexes: readonly string[];
  readonly action: "cascade" | "set null" | "restrict" | undefined;
}

/** Change of a table, with its rows before. */
export interface SchemaChange {
  readonly from: Shape;
  readonly to: Shape;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

type Random = () => number;

/** Returns random numbers between 0 and 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const fieldTypes = ["string", "text", "int", "float", "decimal", "bool", "date", "choice"] as const;
const words = ["red", "blue", "12", "1", "it's"];

const randomField = (random: Random): Field => ({
  type: pick(random, fieldTypes),
  max: pick(random, [4, 20, 60]),
  scale: pick(random, [0, 2, 4]),
  words: words
    .filter(() => random() < 0.6)
    .concat("red")
    .filter((word, index, all) => all.indexOf(word) === index),
  isOptional: random() < 0.4,
  hasDefault: random() < 0.3,
});

/** Returns a change for a seed. Most fields stay or change a little. */
export function randomChange(seed: number): SchemaChange {
  const random = randomOf(seed);
  const names = ["a", "b", "c", "d"];
  const fields = Object.fromEntries(names.map((name) => [name, randomField(random)]));
  const changed = Object.entries(fields).flatMap(([name, field]): (readonly [string, Field])[] => {
    const other = randomField(random);
    const change = random();
    if (change < 0.25) return [[name, field]];
    if (change < 0.4) return [[name, other]];
    if (change < 0.5) return [[name, { ...field, isOptional: !field.isOptional }]];
    if (change < 0.6) return [[name, { ...field, hasDefault: !field.hasDefault }]];
    if (change < 0.75) return [[name, { ...field, max: other.max, scale: other.scale }]];
    if (change < 0.95) return [[name, { ...field, words: other.words, type: pick(random, [field.type, other.type]) }]];
    return [];
  });
  if (random() < 0.2) changed.push(["e", { ...randomField(random), isOptional: true }]);
  const shape = (own: Shape["fields"]): Shape => ({
    fields: own,
    unique: Object.keys(own).filter(() => random() < 0.1),
    indexes: Object.keys(own).filter(() => random() < 0.15),
    action: pick(random, ["cascade", "set null", "restrict", undefined]),
  });
  const from = shape(fields);
  const to = shape(Object.fromEntries(changed));
  const rows = Array.from({ length: Math.floor(random() * 5) }, () =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, randomValue(random, field)])),
  );
  return { from, to, rows };
}

function randomValue(random: Random, field: Field): unknown {
  if (field.isOptional && random() < 0.3) return undefined;
  const fraction = "12345".slice(0, field.scale);
  switch (field.type) {
    case "string":
    case "text":
      return pick(random, ["red", "12", "007", "1.5", "", "it's", " x ", "ü😀", "x".repeat(field.max), "2026-01-02"])
        .slice(0, field.max)
        .toWellFormed();
    case "int":
      return pick(random, [0, 1, -5, 12, 2 ** 40, Number.MAX_SAFE_INTEGER]);
    case "float":
      return pick(random, [0, 1, 1.5, 0.1, -20000, 1e21]);
    case "decimal":
      return pick(random, [
        "0",
        "12",
        `${field.max === 60 ? "" : "-"}3${fraction === "" ? "" : `.${fraction}`}`,
        "99999999",
      ]);
    case "bool":
      return random() < 0.5;
    case "date":
      return pick(random, ["2026-01-02", "1999-12-31"]);
    default:
      return pick(random, field.words);
  }
}

const decimalBounds: Readonly<Record<number, { readonly min: number; readonly max?: number }>> = {
  20: { min: -5, max: 99_999_999 },
  60: { min: 0 },
};

function memberOf(field: Field): Schema.Member {
  const { isOptional, hasDefault, max, scale } = field;
  const set = <T>(value: T): { readonly default?: T } => (hasDefault && !isOptional ? { default: value } : {});
  const member = {
    string: () => Schema.string({ max, ...set("red") }),
    text: () => Schema.text(),
    int: () => Schema.int(set(7)),
    float: () => Schema.float(set(1.5)),
    // The number that limits texts also chooses the bounds of a decimal.
    decimal: () => Schema.decimal({ precision: 12, scale, ...decimalBounds[max], ...set("5") }),
    bool: () => Schema.bool(set(true)),
    date: () => Schema.date(),
    choice: () => Schema.oneOf(field.words, set("red")),
  }[field.type]();
  return isOptional ? Schema.optional(member as never) : member;
}

const parents = Table.make("sc_parents", { schema: Schema.record({ name: Schema.string({ max: 9 }) }) });

/** Returns the described tables: the changed one is between one that it refers to, and one that refers to it. */
export function tablesOf({ fields, unique, indexes, action }: Shape): readonly RelatedTable[] {
  // Text without a maximum length cannot be indexed on all databases.
  const canIndex = (name: string): boolean => !["text", "float"].includes(fields[name]?.type ?? "text");
  const things = Table.make("sc_things", {
    schema: Schema.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, memberOf(field)]))),
    columns: { parent_id: Row.nullable(Row.uuid) },
    unique: unique.filter(canIndex).map((name) => [name]),
    indexes: indexes.filter((name) => canIndex(name) && !unique.includes(name)),
    relations:
      action === undefined ? {} : { parent: () => Table.belongsTo(parents, { column: "parent_id", onDelete: action }) },
  });
  const kids: RelatedTable = Table.make("sc_kids", {
    schema: Schema.record({ name: Schema.string({ max: 9 }) }),
    columns: { thing_id: Row.uuid },
    relations: { thing: () => Table.belongsTo(things, { column: "thing_id", onDelete: "cascade" }) },
  });
  return [parents, things, kids];
}
