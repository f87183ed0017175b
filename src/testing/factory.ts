import type { Database, Handle } from "../database/index.ts";
import { RandomInternals } from "../random/index.ts";

/** Database on which a factory inserts. */
type FactoryDatabase = Database | Handle;

/** Table that a factory inserts into: one of `Table.make`. */
export interface FactoryTable<New, Row> {
  readonly name: string;
  insert(database: FactoryDatabase, value: New): Promise<Row>;
  insertAll?(database: FactoryDatabase, values: readonly New[]): Promise<readonly Row[]>;
}

/** Related row that is inserted first, and whose id becomes the value. Created by `Factory.related`. */
export interface Related {
  readonly insertRelated: (database: FactoryDatabase) => Promise<string>;
}

/** Values of a factory or of one of its states. A value can be a related row. */
export type FactoryValues<New> = { readonly [Name in keyof New]: New[Name] | Related };

/** Random values that are the same in each run. Never use them for secrets. */
export interface FactoryRandom {
  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns true in half of the cases. */
  bool(): boolean;
  /** Returns one of the values. */
  pick<const T>(values: readonly [T, ...T[]]): T;
  /** Returns a UUID of version 4. */
  uuid(): string;
  /** Returns a point in time between two others. */
  date(from: Date, until: Date): Date;
  /** Returns `count` pronounceable words, for texts. */
  words(count: number): string;
}

/** Input from which a factory makes the values of a row. */
export interface FactoryContext {
  /** Number of the row: 1 for the first of this factory, then 2. */
  readonly number: number;
  /** Random values that depend on the table and the number alone, so that each run of a test has the same. */
  readonly random: FactoryRandom;
}

/** State: values that replace those of the factory. */
type State<New> = Partial<FactoryValues<New>> | ((context: FactoryContext) => Partial<FactoryValues<New>>);

/** Options of `Factory.make`. */
export interface FactoryOptions<New, Row, StateName extends string> {
  /** Values by the name of a state, for `state("closed")`. */
  readonly states?: Readonly<Record<StateName, State<New>>>;
  /** Called after each insert, to insert what belongs to the row. */
  readonly afterInsert?: (database: FactoryDatabase, row: Row) => Promise<unknown>;
}

/** Factory of the rows of a table. */
export interface Factory<New, Row, StateName extends string> {
  /** Inserts a row and returns it. `values` replace those of the factory and its states. */
  insert(database: FactoryDatabase, values?: Partial<FactoryValues<New>>): Promise<Row>;
  /** Inserts `count` rows and returns them in order. */
  insertAll(database: FactoryDatabase, count: number, values?: Partial<FactoryValues<New>>): Promise<readonly Row[]>;
  /** Returns values without a database, such as those of a form. Related rows are left out. */
  build(values?: Partial<New>): Partial<New>;
  /** Returns the factory with states, the last of which wins. It continues the numbers of this factory. */
  state(...names: readonly StateName[]): Factory<New, Row, StateName>;
  /**
   * Returns the factory with rows of another one that are inserted after each row. `link` returns the values that refer to
   * it: `issueFactory.with(3, commentFactory, (issue) => ({ issue_id: issue.id }))`.
   */
  with<OtherNew, Other extends string>(
    count: number,
    factory: Factory<OtherNew, unknown, Other>,
    link: (row: Row) => Partial<FactoryValues<OtherNew>>,
  ): Factory<New, Row, StateName>;
  /** Starts the numbers from 1 again. */
  reset(): void;
}

/** Definition of a factory with its current states. */
interface Definition<New, Row, StateName extends string> {
  readonly table: FactoryTable<New, Row>;
  readonly states: readonly State<New>[];
  readonly namedStates: Readonly<Record<StateName, State<New>>> | undefined;
  readonly afterInsert: readonly ((database: FactoryDatabase, row: Row) => Promise<unknown>)[];
  readonly counter: { latest: number };
}

/**
 * Creates a factory, which inserts rows of a table for tests and seeds. `values` returns the values of one row; a test
 * replaces the ones that it is about.
 *
 * @example
 * import { Table } from "limmat/table";
 *
 * const projects = Table.make("projects", { schema: Schema.record({ name: Schema.string() }) });
 * const issues = Table.make("issues", {
 *   schema: Schema.record({ title: Schema.string(), state: Schema.oneOf(["open", "closed"]) }),
 *   columns: { project_id: Row.uuid },
 * });
 * const projectFactory = Factory.make(projects, ({ number }) => ({ name: `Project ${number}` }));
 * const issueFactory = Factory.make(
 *   issues,
 *   ({ number, random }) => ({
 *     title: `Issue ${number}`,
 *     state: random.pick(["open", "closed"]),
 *     project_id: Factory.related(projectFactory),
 *   }),
 *   { states: { closed: { state: "closed" } } },
 * );
 * const issue = await issueFactory.state("closed").insert(database, { title: "Broken" });
 */
function makeFactory<New, Row, StateName extends string = never>(
  table: FactoryTable<New, Row>,
  values: (context: FactoryContext) => FactoryValues<New>,
  options: FactoryOptions<New, Row, StateName> = {},
): Factory<New, Row, StateName> {
  const { states, afterInsert } = options;
  return fromDefinition({
    table,
    states: [values],
    namedStates: states,
    afterInsert: afterInsert === undefined ? [] : [afterInsert],
    counter: { latest: 0 },
  });
}

/** Inserts a row of another factory before each row, and uses its id as the value. */
export function related<New, Row extends { readonly id: string }, StateName extends string>(
  factory: Factory<New, Row, StateName>,
  values?: Partial<FactoryValues<New>>,
): Related {
  return { insertRelated: async (database) => (await factory.insert(database, values)).id };
}

export { makeFactory as make };

function fromDefinition<New, Row, StateName extends string>(
  definition: Definition<New, Row, StateName>,
): Factory<New, Row, StateName> {
  const { table, states, namedStates, afterInsert, counter } = definition;

  const nextValues = (values: Partial<FactoryValues<New>>): Readonly<Record<string, unknown>> => {
    const number = ++counter.latest;
    const context = { number, random: makeFactoryRandom(`${table.name} ${number}`) };
    const parts = states.map((state) => (typeof state === "function" ? state(context) : state));
    return Object.assign({}, ...parts, values) as Readonly<Record<string, unknown>>;
  };

  const resolve = async (database: FactoryDatabase, values: Partial<FactoryValues<New>>): Promise<New> => {
    const resolved: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(nextValues(values))) {
      resolved[name] = isRelated(value) ? await value.insertRelated(database) : value;
    }
    return resolved as New;
  };

  const insertAll = async (
    database: FactoryDatabase,
    count: number,
    values: Partial<FactoryValues<New>> = {},
  ): Promise<readonly Row[]> => {
    const resolved: New[] = [];
    for (let index = 0; index < count; index++) resolved.push(await resolve(database, values));
    const rows = [...((await table.insertAll?.(database, resolved)) ?? [])];
    if (table.insertAll === undefined) {
      for (const value of resolved) rows.push(await table.insert(database, value));
    }
    for (const row of rows) for (const callback of afterInsert) await callback(database, row);
    return rows;
  };

  const insert = async (database: FactoryDatabase, values: Partial<FactoryValues<New>> = {}): Promise<Row> => {
    const row = await table.insert(database, await resolve(database, values));
    for (const callback of afterInsert) await callback(database, row);
    return row;
  };

  return {
    insert,
    insertAll,
    build: (values = {}) => {
      const own = Object.entries(nextValues(values as Partial<FactoryValues<New>>));
      return Object.fromEntries(own.filter(([, value]) => !isRelated(value))) as Partial<New>;
    },
    state: (...names) => {
      const added = names.map((name) => {
        if (namedStates !== undefined && Object.hasOwn(namedStates, name)) return namedStates[name];
        const known = Object.keys(namedStates ?? {}).join(", ") || "none";
        throw new TypeError(`The factory of "${table.name}" has no state "${name}". States: ${known}`);
      });
      return fromDefinition({ ...definition, states: [...states, ...added] });
    },
    with: (count, factory, link) => {
      const insertLinked = (database: FactoryDatabase, row: Row): Promise<unknown> =>
        factory.insertAll(database, count, link(row));
      return fromDefinition({ ...definition, afterInsert: [...afterInsert, insertLinked] });
    },
    reset: () => {
      counter.latest = 0;
    },
  };
}

const isRelated = (value: unknown): value is Related =>
  typeof value === "object" && value !== null && "insertRelated" in value;

const [consonants, vowels] = ["bdfgklmnprstvz", "aeiou"];

/** Creates the random values of a seed. */
function makeFactoryRandom(seed: string): FactoryRandom {
  const source = RandomInternals.seededSource(seed);
  // 2⁴⁸ values: the bias of the remainder is below one in a million for ranges up to 2²⁸.
  const below = (limit: number): number => source(6).readUIntBE(0, 6) % limit;
  const int = (min: number, max: number): number => min + below(max - min + 1);
  const letter = (letters: string): string => letters[below(letters.length)] ?? "";
  const word = (): string => Array.from({ length: int(1, 3) }, () => letter(consonants) + letter(vowels)).join("");
  return {
    int,
    bool: () => below(2) === 1,
    pick: (values) => values[below(values.length)] ?? values[0],
    uuid: () => {
      const bytes = Buffer.from(source(16));
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    date: (from, until) => new Date(int(from.getTime(), until.getTime())),
    words: (count) => Array.from({ length: count }, word).join(" "),
  };
}
