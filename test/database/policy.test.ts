// Policies on every database: generated rules against a plain model, and the answers of a policy one by one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, isError, Random, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { rounds } from "../rounds.ts";
import { Choices, type Kind, kinds } from "./random-values.ts";

const roles = ["admin", "member"] as const;
const ids = Array.from({ length: 3 }, () => Random.uuid());
/** Persons. The last one has no company. */
const users = ids.map((id, index) => ({ id, company_id: index === 2 ? null : (ids[1 - index] ?? null) }));
type Person = (typeof users)[number];
const compared = "int bigint float decimal text oneOf bool timestamp date uuid".split(" ");

const teams = Table.make("policy_teams", {
  schema: Schema.record({ name: Schema.string() }),
  softDelete: true,
  relations: {
    members: () => Table.hasMany(members, { column: "team_id" }),
    room: () => Table.hasOne(rooms, { column: "team_id" }),
  },
});
const members = Table.make("policy_members", {
  schema: Schema.record({ role: Schema.oneOf(roles) }),
  columns: { team_id: Row.optional(Row.uuid), user_id: Row.optional(Row.uuid) },
  relations: { team: () => Table.belongsTo(teams) },
});
const rooms = Table.make("policy_rooms", {
  schema: Schema.record({ open: Schema.bool() }),
  columns: { team_id: Row.uuid },
  relations: { team: () => Table.belongsTo(teams) },
});
const tags = Table.make("policy_tags", { schema: Schema.record({ open: Schema.bool() }), softDelete: true });
const items = Table.make("policy_items", {
  schema: Schema.record({}),
  columns: {
    owner_id: Row.optional(Row.uuid),
    team_id: Row.optional(Row.uuid),
    parent_id: Row.optional(Row.uuid),
    ...(Object.fromEntries(
      compared.map((name) => [`${name}_value`, Row.optional((kinds[name] as Kind).type)]),
    ) as object),
  },
  relations: {
    team: () => Table.belongsTo(teams),
    parent: () => Table.belongsTo(items),
    children: () => Table.hasMany(items, { column: "parent_id" }),
    tags: () => Table.manyToMany(tags, { through: "policy_item_tags", column: "item_id", targetColumn: "tag_id" }),
  },
});

type Item = Readonly<Record<string, unknown>> & { readonly id: string };
type TableName = "items" | "teams" | "members" | "rooms" | "tags";

/** Rows of all tables, and the pairs of the join table. */
interface World {
  readonly rows: Readonly<Record<TableName, readonly Item[]>>;
  readonly links: readonly (readonly [item: string, tag: string])[];
}

/** Rule as data, from which the rule of the policy and the answer of the model are made. */
type Sample =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "anyone"; readonly isEqual: (Sample & { readonly kind: "equal" }) | undefined }
  | { readonly kind: "equal"; readonly column: string; readonly values: readonly unknown[] | null }
  | { readonly kind: "own"; readonly column: string }
  // A rule that compares a value which the user may lack: with a test of it, or without.
  | { readonly kind: "company"; readonly isTested: boolean }
  | { readonly kind: "all" | "any"; readonly parts: readonly Sample[] }
  | { readonly kind: "not"; readonly part: Sample }
  | { readonly kind: "related"; readonly relation: string; readonly target: TableName; readonly part: Sample };

const relationsOf: Readonly<Record<TableName, readonly (readonly [relation: string, target: TableName])[]>> = {
  items: [
    ["team", "teams"],
    ["parent", "items"],
    ["children", "items"],
    ["tags", "tags"],
  ],
  teams: [
    ["members", "members"],
    ["room", "rooms"],
  ],
  members: [["team", "teams"]],
  rooms: [["team", "teams"]],
  tags: [],
};

/** Kinds of the columns of a table that rules compare. */
const columnsOf: Readonly<Record<TableName, Readonly<Record<string, Kind>>>> = {
  items: Object.fromEntries(compared.map((name) => [`${name}_value`, kinds[name] as Kind])),
  teams: {},
  members: { role: { type: Row.text, values: roles } },
  rooms: { open: kinds["bool"] as Kind },
  tags: { open: kinds["bool"] as Kind },
};

function randomEqual(choices: Choices, table: TableName): (Sample & { readonly kind: "equal" }) | undefined {
  const columns = Object.entries(columnsOf[table]);
  if (columns.length === 0) return undefined;
  const [column, { values }] = choices.pick(columns);
  const isNull = table === "items" && choices.chance(20);
  return { kind: "equal", column, values: isNull ? null : choices.some(values, choices.below(4)) };
}

function randomSample(choices: Choices, table: TableName, depth: number): Sample {
  const relations = relationsOf[table];
  const leaf = depth === 0;
  const kind = choices.below(leaf ? 6 : 12);
  if (table === "items" && choices.chance(8)) return { kind: "company", isTested: choices.chance(75) };
  if (kind === 0) return { kind: "constant", value: choices.chance(50) };
  if (kind === 1 && (table === "items" || table === "members")) {
    return { kind: "own", column: table === "items" ? "owner_id" : "user_id" };
  }
  if (kind === 2) {
    const equal = randomEqual(choices, table);
    return { kind: "anyone", isEqual: equal !== undefined && choices.chance(70) ? equal : undefined };
  }
  if (kind < 6) return randomEqual(choices, table) ?? { kind: "constant", value: true };
  if (kind < 9 && relations.length > 0) {
    const [relation, target] = choices.pick(relations);
    return { kind: "related", relation, target, part: randomSample(choices, target, depth - 1) };
  }
  if (kind === 9) return { kind: "not", part: randomSample(choices, table, depth - 1) };
  const parts = Array.from({ length: 1 + choices.below(3) }, () => randomSample(choices, table, depth - 1));
  return { kind: choices.chance(50) ? "all" : "any", parts };
}

type AnyRule = Policy.Rule<Table.Infer<typeof items>, Person>;

const tables = { items, teams, members, rooms, tags };

const equalOf = ({ column, values }: Sample & { readonly kind: "equal" }): object => ({
  [column]: values?.length === 1 ? values[0] : values,
});

function ruleOf(table: TableName, sample: Sample): AnyRule {
  const is = Policy.rules<typeof items, Person>(tables[table] as typeof items);
  switch (sample.kind) {
    case "constant":
      return () => sample.value;
    case "anyone":
      return sample.isEqual === undefined ? is.anyone() : is.anyone(equalOf(sample.isEqual));
    case "equal":
      // NULL is no value of a person.
      return sample.values === null ? is.all(() => true, is.anyone(equalOf(sample))) : () => equalOf(sample);
    case "own":
      return (user) => ({ [sample.column]: user.id });
    case "company":
      return sample.isTested
        ? (user) => user.company_id !== null && { owner_id: user.company_id }
        : (user) => ({ owner_id: user.company_id as string });
    case "all":
      return is.all(...sample.parts.map((part) => ruleOf(table, part)));
    case "any":
      return is.any(...sample.parts.map((part) => ruleOf(table, part)));
    case "not":
      return is.not(ruleOf(table, sample.part));
    default:
      return is.related[sample.relation as "team"](ruleOf(sample.target, sample.part) as never);
  }
}

const storedOf = ({ stored = (value: never): unknown => value }: Kind, value: unknown): unknown =>
  stored(value as never);
const comparedValue = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/** Returns true if a rule compares a value that a person lacks. */
function comparesMissing(sample: Sample, user: Person | undefined): boolean {
  if (sample.kind === "company") return !sample.isTested && user?.company_id === null;
  const parts = "parts" in sample ? sample.parts : "part" in sample ? [sample.part] : [];
  return parts.some((part) => comparesMissing(part, user));
}

/** Returns the value of a promise; `undefined` if a rule refuses to compare what a person lacks. */
const unlessRefused = <T>(promise: Promise<T>): Promise<T | undefined> =>
  promise.catch((error: unknown) => {
    if (isError(error, "E_POLICY") && error.message.includes('"owner_id"')) return undefined;
    throw error;
  });

/** Returns the answer of the model. */
function isAllowed(world: World, table: TableName, sample: Sample, user: Person | undefined, row: Item): boolean {
  switch (sample.kind) {
    case "constant":
      return user !== undefined && sample.value;
    case "anyone":
      return sample.isEqual === undefined || isAllowed(world, table, sample.isEqual, users[0], row);
    case "equal": {
      if (user === undefined) return false;
      const value = row[sample.column] ?? null;
      if (sample.values === null || value === null) return sample.values === null && value === null;
      const kind = columnsOf[table][sample.column] as Kind;
      return sample.values.some((expected) => Object.is(comparedValue(storedOf(kind, expected)), comparedValue(value)));
    }
    case "own":
      return user !== undefined && row[sample.column] === user.id;
    case "company":
      return user !== undefined && user.company_id !== null && row["owner_id"] === user.company_id;
    case "all":
      return sample.parts.every((part) => isAllowed(world, table, part, user, row));
    case "any":
      return sample.parts.some((part) => isAllowed(world, table, part, user, row));
    case "not":
      return !isAllowed(world, table, sample.part, user, row);
    default:
      return relatedRows(world, sample, row)
        .filter((related) => (related["deleted_at"] ?? null) === null)
        .some((related) => isAllowed(world, sample.target, sample.part, user, related));
  }
}

function relatedRows(world: World, { relation, target }: Sample & { kind: "related" }, row: Item): readonly Item[] {
  const rows = world.rows[target];
  if (relation === "team" || relation === "parent") return rows.filter(({ id }) => id === row[`${relation}_id`]);
  if (relation === "children") return rows.filter((child) => child["parent_id"] === row.id);
  if (relation !== "tags") return rows.filter((related) => related["team_id"] === row.id);
  return rows.filter(({ id }) => world.links.some(([item, tag]) => item === row.id && tag === id));
}

/** Stores random rows, and returns them as they are read. */
async function randomWorld(database: Database, choices: Choices): Promise<World> {
  const someId = (rows: readonly { readonly id: string }[]): string | undefined =>
    choices.chance(70) ? choices.pick(rows).id : undefined;
  await database.exec(sql`update policy_items set parent_id = null`);
  for (const name of [
    "policy_item_tags",
    "policy_items",
    "policy_members",
    "policy_rooms",
    "policy_tags",
    "policy_teams",
  ]) {
    await database.exec(sql`delete from ${sql.identifier(name, [name])}`);
  }
  const storedTeams = await teams.insertAll(database, [{ name: "a" }, { name: "b" }, { name: "c" }]);
  await teams.delete(database, { id: storedTeams[2]!.id });
  await members.insertAll(
    database,
    Array.from({ length: 6 }, () => ({
      role: choices.pick(roles),
      team_id: someId(storedTeams),
      user_id: someId(users),
    })),
  );
  await rooms.insertAll(database, [{ open: choices.chance(50), team_id: choices.pick(storedTeams).id }]);
  const storedTags = await tags.insertAll(database, [{ open: true }, { open: false }, { open: true }]);
  await tags.delete(database, { id: storedTags[2]!.id });
  const storedItems: { readonly id: string }[] = [];
  for (let index = 0; index < 10; index++) {
    const values = compared.map((name) => [
      `${name}_value`,
      choices.chance(75) ? choices.pick((kinds[name] as Kind).values) : undefined,
    ]);
    storedItems.push(
      await items.insert(database, {
        ...(Object.fromEntries(values) as object),
        owner_id: someId(users),
        team_id: someId(storedTeams),
        parent_id: storedItems.length === 0 ? undefined : someId(storedItems),
      }),
    );
  }
  const links: [item: string, tag: string][] = [];
  for (const { id } of storedItems) {
    const linked = choices.some(storedTags, choices.below(3)).map((tag) => tag.id);
    await items.links.tags.set(database, { id }, linked);
    links.push(...linked.map((tag): [string, string] => [id, tag]));
  }
  const read = { withDeleted: true };
  return {
    rows: {
      items: await items.collect(database),
      teams: await teams.collect(database, read),
      members: await members.collect(database),
      rooms: await rooms.collect(database),
      tags: await tags.collect(database, read),
    },
    links,
  };
}

const manyActions = Array.from({ length: 70 }, (_, index) => `action${index}`);

function cases(name: string, database: Database): void {
  describe(`${name}: policies`, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await database.query(async (handle) => {
        for (const text of Table.createStatements([teams, members, rooms, tags, items], database.dialect())) {
          await handle.exec(sql(Object.assign([text], { raw: [text] })));
        }
      });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    test("where, check and can agree with a model for generated rules", async () => {
      const count = rounds(550);
      let world: World | undefined;
      for (let seed = 0; seed < count; seed++) {
        const choices = new Choices(seed);
        if (world === undefined || seed % 10 === 0) world = await randomWorld(database, choices);
        const samples = { see: randomSample(choices, "items", 2), change: randomSample(choices, "items", 3) };
        const policy = Policy.make(items, (_is: Policy.Rules<typeof items, Person>) => ({
          see: ruleOf("items", samples.see),
          change: ruleOf("items", samples.change),
        }));
        const user = choices.chance(85) ? choices.pick(users) : undefined;
        const rows = world.rows.items as unknown as readonly Table.Infer<typeof items>[];
        const found = world;
        const expectedOf = (action: "see" | "change", row: unknown): boolean =>
          isAllowed(found, "items", samples.see, user, row as Item) &&
          (action === "see" || isAllowed(found, "items", samples.change, user, row as Item));
        const context = `seed ${seed}: ${JSON.stringify(samples, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}`;
        // Columns that decide end the question: a rule that would refuse may not be reached, except by `where`.
        const can = await unlessRefused(policy.can(database, user, rows, ["change", "see"]));
        const isRefused = { see: comparesMissing(samples.see, user), change: false };
        isRefused.change = isRefused.see || comparesMissing(samples.change, user);
        assert.ok(can !== undefined || isRefused.change, context);
        for (const action of ["see", "change"] as const) {
          const expected = rows.filter((row) => expectedOf(action, row)).map(({ id }) => id);
          const select = async () => items.collect(database, { where: policy.where(user, action) });
          const selected = await unlessRefused(select());
          assert.deepEqual(
            selected?.map(({ id }) => id),
            isRefused[action] ? undefined : expected,
            `where ${action}, ${context}`,
          );
          if (can === undefined) continue;
          assert.deepEqual(
            rows.filter((row) => can(action, row)).map(({ id }) => id),
            expected,
            `can ${action}, ${context}`,
          );
        }
        const row = choices.pick(rows);
        for (const reference of [row, row.id]) {
          const result = await unlessRefused(policy.check(database, user, "change", reference));
          const refused = expectedOf("see", row) ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW";
          if (result === undefined) assert.ok(isRefused.change, context);
          else assert.equal(result.ok ? "" : result.error.code, expectedOf("change", row) ? "" : refused, context);
        }
      }
    });

    test("can answers more actions than an integer has bits", async () => {
      const row = await items.insert(database, {});
      const policy = Policy.make(items, () => ({
        see: () => true,
        ...Object.fromEntries(manyActions.map((action, index) => [action, () => sql`${index % 3} = 0`])),
      }));
      const can = await policy.can(database, users[0], [row], manyActions as "see"[]);
      const allowed = manyActions.filter((action) => can(action as "see", row));
      assert.deepEqual(
        allowed,
        manyActions.filter((_, index) => index % 3 === 0),
      );
    });
  });
}

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
