import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Schema } from "../schema/index.ts";
import { Row } from "../database/index.ts";
import type { SchemaDialect } from "./create-statements.ts";
import { Table } from "../entry-points/table.ts";

const schema = Schema.record({ title: Schema.string({ max: 20 }), done: Schema.bool() });
const fields = (
  extra: Readonly<Record<string, Schema.Member>>,
): Schema.RecordSchema<Readonly<Record<string, unknown>>> => Schema.record(extra);

/** Schema as other libraries make them. */
const foreign = { "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) } };

const tasks = Table.make("tasks", { schema, columns: { list_id: Row.uuid } });

const dialect: SchemaDialect = {
  name: "sqlite",
  identifierQuote: '"',
  columnTypes: {
    uuid: "uuid",
    text: "text",
    string: (length) => `string(${length})`,
    bool: "bool",
    int: "int",
    float: "float",
    decimal: (precision, scale) => `decimal(${precision}, ${scale})`,
    bytes: "bytes",
    timestamp: "timestamp",
    date: "date",
    json: "json",
  },
};

suite("definition of a table", () => {
  const cases: readonly (readonly [problem: string, name: string, definition: object, message: RegExp])[] = [
    ["a name with a space", "a b", {}, /cannot be a name/],
    ["SQL as a name", 'x"; drop table users; --', {}, /cannot be a name/],
    ["an empty name", "", {}, /cannot be a name/],
    ["a name that PostgreSQL would cut", "x".repeat(64), {}, /at most 63/],
    ["a prototype as a column", "t", { schema: fields({ ["__proto__"]: Schema.int() }) }, /cannot be a name/],
    ["a column with a hyphen", "t", { schema: fields({ "a-b": Schema.int() }) }, /cannot be a name/],
    ["a field named id", "t", { schema: fields({ id: Schema.int() }) }, /"id" is one that the table adds/],
    ["a field named version", "t", { schema: fields({ version: Schema.int() }), version: true }, /"version" is one/],
    ["an unknown column in unique", "t", { unique: [["nothing"]] }, /"unique" names "nothing"/],
    ["an unknown column in indexes", "t", { indexes: ["nothing"] }, /"indexes" names "nothing"/],
    ["an unknown sort column", "t", { search: { sortBy: ["nothing"] } }, /"search\.sortBy" names "nothing"/],
    ["a search by JSON", "t", { columns: { data: Row.json() }, search: { filterBy: ["data"] } }, /which is JSON/],
    ["an order by bytes", "t", { columns: { data: Row.bytes }, search: { sortBy: ["data"] } }, /which is bytes/],
    ["a full text of a boolean", "t", { search: { fullText: ["done"] } }, /is no text/],
    [
      "a full text and an order by a column named relevance",
      "t",
      { columns: { relevance: Row.int }, search: { fullText: ["title"], sortBy: ["relevance"] } },
      /order by relevance/,
    ],
    [
      "a column with the name of the full-text index",
      "t",
      { columns: { t_full_text: Row.text }, search: { fullText: ["title"] } },
      /"t_full_text" has the name/,
    ],
    ["a unique constraint without columns", "t", { unique: [[]] }, /without a column/],
    ["a unique constraint that names a column twice", "t", { unique: [["title", "title"]] }, /twice/],
    ["a unique constraint of JSON", "t", { columns: { data: Row.json() }, unique: [["data"]] }, /which is JSON/],
    ["a unique ciphertext", "t", { encrypted: { title: true }, unique: [["title"]] }, /blind index/],
    ["an index of bytes", "t", { columns: { data: Row.bytes }, indexes: ["data"] }, /which is bytes/],
    ["columns that differ by case alone", "t", { columns: { Title: Row.text } }, /"title" and "Title" differ by case/],
    ["a column that differs from id by case alone", "t", { columns: { ID: Row.uuid } }, /"id" and "ID" differ by case/],
    ["an unknown encrypted column", "t", { encrypted: { nothing: true } }, /"encrypted" names "nothing"/],
    [
      "a search of an encrypted column",
      "t",
      { encrypted: { title: true }, search: { filter: ["title"] } },
      /encrypted/,
    ],
    ["encrypted bytes", "t", { columns: { data: Row.bytes }, encrypted: { data: true } }, /bytes/],
    ["another kind of id", "t", { id: "uuid1" }, /uuid4/],
    [
      "a relation that hides a column",
      "t",
      { relations: { title: () => Table.hasMany(tasks) } },
      /hide the column "title"/,
    ],
    ["a relation that is no function", "t", { relations: { tasks: Table.hasMany(tasks) } }, /function/],
    [
      "a blind index that is also a column",
      "t",
      { columns: { title_index: Row.text }, encrypted: { title: { blindIndex: true } } },
      /"title_index" is also a column/,
    ],
    [
      "a custom field without a column type",
      "t",
      { schema: fields({ colour: { ...Schema.string(), kind: "colour" } }) },
      /kind "colour" has no column type/,
    ],
    ["a schema of another library", "t", { schema: foreign }, /must be made by Schema\.record\. Given: other/],
    ["a list as a schema", "t", { schema: Schema.list(Schema.string()) }, /Given: limmat/],
    ["a field as a schema", "t", { schema: Schema.string() }, /Given: object/],
    ["no schema", "t", { schema: undefined }, /Given: undefined/],
    ["a column type without storage", "t", { columns: { a: { ...Row.text, storage: undefined } } }, /no storage/],
  ];
  for (const [problem, name, definition, message] of cases) {
    test(`refuses ${problem}`, () => {
      assert.throws(() => Table.make(name, { schema, ...definition } as never), { code: "E_TABLE", message });
    });
  }

  test("takes a column type for a custom field", () => {
    const table = Table.make("t", {
      schema: Schema.record({ colour: { ...Schema.string(), kind: "colour" } }),
      columns: { colour: Row.text },
    });
    assert.equal(Table.describe(table).columns[1]?.type, "text");
  });
});

suite("relations of a table", () => {
  const cases: readonly (readonly [problem: string, relation: () => unknown, message: RegExp])[] = [
    ["no relation", () => undefined, /has no target/],
    ["an undefined target", () => Table.hasMany(undefined as never), /has no target/],
    ["a missing foreign key", () => Table.belongsTo(tasks), /needs a column "relation_id" of "lists"/],
    ["a foreign key that is no UUID", () => Table.belongsTo(tasks, { column: "title" }), /to be a UUID/],
    ["a missing foreign key of the target", () => Table.hasMany(tasks, { column: "no_id" }), /"no_id" of "tasks"/],
    ["a missing foreign key of a plain table", () => Table.hasOne(plain), /needs a column "list_id" of "plain"/],
    [
      "set null of a column that cannot be NULL",
      () => Table.belongsTo(tasks, { column: "owner_id", onDelete: "set null" }),
      /cannot be NULL/,
    ],
    ["one column for both sides", () => Table.manyToMany(lists, { through: "x" }), /"list_id" for both sides/],
    ["SQL as a join table", () => Table.manyToMany(tasks, { through: "x y" }), /cannot be a name/],
  ];
  const plain = { name: "plain", row: Row.record({ id: Row.uuid }), relations: {} };
  const lists = Table.make("lists", { schema });
  for (const [problem, relation, message] of cases) {
    test(`refuses ${problem} on first use`, () => {
      const table = Table.make("lists", { schema, columns: { owner_id: Row.uuid }, relations: { relation } });
      assert.throws(() => Table.describe(table), { code: "E_TABLE", message });
    });
  }

  test("describes only tables of Table.make", () => {
    assert.throws(() => Table.describe(plain), { code: "E_TABLE", message: /not created by Table\.make/ });
  });
});

suite("description of a table", () => {
  const people = Table.make("people", { schema: Schema.record({ name: Schema.string() }), singular: "person" });
  const issues = Table.make("issues", {
    schema: Schema.record({
      title: Schema.string({ max: 200 }),
      body: Schema.text(),
      state: Schema.oneOf(["open", "it's"], { default: "open" }),
      price: Schema.decimal({ precision: 8, scale: 3, min: 0, max: "99.5" }),
      due: Schema.optional(Schema.date()),
      priority: Schema.int({ default: 1 }),
      urgent: Schema.bool({ default: true }),
      key: Schema.text(),
      ssn: Schema.optional(Schema.string()),
    }),
    columns: { project_id: Row.uuid, parent_id: Row.optional(Row.uuid), data: Row.nullable(Row.json()) },
    timestamps: true,
    version: true,
    softDelete: true,
    encrypted: { ssn: { blindIndex: true } },
    relations: {
      parent: () => Table.belongsTo(issues, { onDelete: "set null" }),
      project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
      watchers: () => Table.manyToMany(people, { through: "issue_watchers" }),
    },
    unique: [["project_id", "title"]],
    indexes: ["key", ["state", "due"]],
    search: { sortBy: ["created_at", "body"], fullText: ["title", "body"] },
  });
  const projects = Table.make("projects", {
    schema: Schema.record({ name: Schema.string() }),
    columns: { first_issue_id: Row.optional(Row.uuid) },
    relations: { first_issue: () => Table.belongsTo(issues, { onDelete: "set null" }) },
  });

  test("is plain data", () => {
    const description = Table.describe(issues);
    assert.deepEqual(structuredClone(description), { ...description });
    assert.deepEqual(
      description.columns.map(({ name, type, isNullable }) => `${name} ${type}${isNullable ? "?" : ""}`),
      [
        "id uuid",
        "title string",
        "body text",
        "state string",
        "price decimal",
        "due date?",
        "priority int",
        "urgent bool",
        "key string",
        "ssn text?",
        "ssn_index string?",
        "project_id uuid",
        "parent_id uuid?",
        "data json?",
        "created_at timestamp",
        "updated_at timestamp",
        "version int",
        "deleted_at timestamp?",
      ],
    );
    assert.deepEqual(description.columns.find(({ name }) => name === "state")?.oneOf, ["open", "it's"]);
    const price = {
      name: "price",
      type: "decimal",
      precision: 8,
      scale: 3,
      min: "0.000",
      max: "99.500",
      isNullable: false,
    };
    assert.deepEqual(
      description.columns.find(({ name }) => name === "price"),
      price,
    );
    assert.deepEqual(description.foreignKeys, [
      { column: "parent_id", table: "issues", references: "id", onDelete: "set null" },
      { column: "project_id", table: "projects", references: "id", onDelete: "cascade" },
    ]);
    assert.deepEqual(description.indexes, [
      ["state", "due"],
      ["created_at", "id"],
      ["key"],
      ["ssn_index"],
      ["parent_id"],
    ]);
    assert.deepEqual(description.fullText, ["title", "body"]);
    assert.deepEqual(description.joinTables[0]?.primaryKey, ["issue_id", "person_id"]);
  });

  test("becomes statements, with each table after those that it refers to", () => {
    const statements = Table.createStatements([issues, projects, people], dialect);
    const isOfFullText = (text: string): boolean => text.includes("issues_full_text");
    assert.ok(statements.findIndex(isOfFullText) > statements.findIndex((text) => text.includes('table "issues"')));
    assert.deepEqual(
      statements.filter((text) => !isOfFullText(text)),
      [
        `create table "projects" (
  "id" uuid not null,
  "name" string(255) not null,
  "first_issue_id" uuid,
  primary key ("id"),
  foreign key ("first_issue_id") references "issues" ("id") on delete set null
)`,
        `create index "projects_first_issue_id" on "projects" ("first_issue_id")`,
        `create table "issues" (
  "id" uuid not null,
  "title" string(200) not null,
  "body" text not null,
  "state" string(255) default 'open' not null check ("state" in ('open', 'it''s')),
  "price" decimal(8, 3) not null check (cast("price" as real) >= 0.000 and cast("price" as real) <= 99.500),
  "due" date,
  "priority" int default 1 not null,
  "urgent" bool default 1 not null,
  "key" string(255) not null,
  "ssn" text,
  "ssn_index" string(43),
  "project_id" uuid not null,
  "parent_id" uuid,
  "data" json,
  "created_at" timestamp not null,
  "updated_at" timestamp not null,
  "version" int not null,
  "deleted_at" timestamp,
  primary key ("id"),
  unique ("project_id", "title"),
  foreign key ("parent_id") references "issues" ("id") on delete set null,
  foreign key ("project_id") references "projects" ("id") on delete cascade
)`,
        `create index "issues_state_due" on "issues" ("state", "due")`,
        `create index "issues_created_at_id" on "issues" ("created_at", "id")`,
        `create index "issues_key" on "issues" ("key")`,
        `create index "issues_ssn_index" on "issues" ("ssn_index")`,
        `create index "issues_parent_id" on "issues" ("parent_id")`,
        `create table "people" (
  "id" uuid not null,
  "name" string(255) not null,
  primary key ("id")
)`,
        `create table "issue_watchers" (
  "issue_id" uuid not null,
  "person_id" uuid not null,
  primary key ("issue_id", "person_id"),
  foreign key ("issue_id") references "issues" ("id") on delete cascade,
  foreign key ("person_id") references "people" ("id") on delete cascade
)`,
        `create index "issue_watchers_person_id" on "issue_watchers" ("person_id")`,
      ],
    );
  });

  test("adds foreign keys of tables that refer to each other at the end, except on SQLite", () => {
    const statements = Table.createStatements([issues, projects, people], { ...dialect, name: "postgresql" });
    assert.equal(
      statements.at(-1),
      `alter table "projects" add foreign key ("first_issue_id") references "issues" ("id") on delete set null`,
    );
  });

  test("a join table that is described as a table has the columns of its description", () => {
    const watchers = Table.make("issue_watchers", {
      schema: Schema.record({ role: Schema.string() }),
      columns: { issue_id: Row.uuid, person_id: Row.uuid },
    });
    for (const tables of [
      [watchers, issues],
      [issues, watchers],
    ]) {
      const created = Table.createStatements(tables, dialect).filter((text) =>
        text.startsWith('create table "issue_watchers"'),
      );
      assert.equal(created.length, 1);
      assert.match(created[0] ?? "", /"role" string\(255\) not null/);
    }
  });

  test("a column may have the name of a member of every object", () => {
    const named = {
      schema: Schema.record({ constructor: Schema.int() }),
      search: { sortBy: ["constructor"] },
    } as const;
    const [statement] = Table.createStatements(Table.make("things", named), dialect);
    assert.match(statement ?? "", /^ {2}"constructor" int not null,$/m);
  });

  test("shortens names of indexes to the limit of the databases, and keeps them apart", () => {
    const columns = { [`a${"x".repeat(50)}`]: Row.int, [`a${"x".repeat(51)}`]: Row.int };
    const table = Table.make("long_name_of_a_table", { schema, columns, indexes: Object.keys(columns) });
    const names = Table.createStatements(table, dialect).flatMap(
      (text) => /^create index "(\w+)"/.exec(text)?.[1] ?? [],
    );
    assert.equal(new Set(names).size, 2);
    for (const name of names) assert.ok(name.length <= 63);
  });
});

test("an index of a nullable sort column has the order of lists on PostgreSQL", () => {
  const items = Table.make("items", {
    schema,
    columns: { due: Row.nullable(Row.int), owner_id: Row.nullable(Row.uuid) },
    indexes: ["owner_id"],
    search: { sortBy: ["due", "title"] },
  });
  const indexes = (name: SchemaDialect["name"]): readonly string[] =>
    Table.createStatements(items, { ...dialect, name }).filter((statement) => statement.startsWith("create index"));
  const plain = ["due", "title"].map((column) => `create index "items_${column}_id" on "items" ("${column}", "id")`);
  const owner = 'create index "items_owner_id" on "items" ("owner_id")';
  assert.deepEqual(indexes("mariadb"), [...plain, owner]);
  assert.deepEqual(indexes("postgresql"), [
    'create index "items_due_id" on "items" ("due" nulls first, "id")',
    plain[1],
    owner,
  ]);
});
