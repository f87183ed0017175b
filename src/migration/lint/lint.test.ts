import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, constantFrom, property } from "fast-check";
import type { ColumnTypes, Dialect, DialectName } from "../../database/contract.ts";
import * as Migration from "../migration.ts";
import { numberSteps } from "../step.ts";
import { lintSteps } from "./lint.ts";
import type { LintRule } from "./rules.ts";
import { parseStatements } from "../sql-tokens.ts";
import { rounds } from "../../../test/rounds.ts";

const dialectOf = (name: DialectName): Dialect =>
  ({ name, hasTransactionalDdl: name !== "mariadb", columnTypes: {} as ColumnTypes }) as Dialect;

const concurrently = { transaction: false } as const;

function rulesOf(
  dialect: DialectName,
  sql: Migration.StepSql,
  options: Migration.StepOptions = {},
): readonly LintRule[] {
  const steps = numberSteps([Migration.make("m", [Migration.step("s", sql, options)])]);
  return lintSteps(steps, {
    dialect: dialectOf(dialect),
    existingTables: new Set(["t", "u"]),
    existingIndexes: new Map([["t", [["indexed_id"]]]]),
    describedColumns: new Set(["t.described"]),
  }).map(({ rule }) => rule);
}

type Case = readonly [sql: string, rules: readonly LintRule[], options?: Migration.StepOptions];

const cases: Readonly<Record<DialectName, readonly Case[]>> = {
  postgresql: [
    ["create index i on t (a)", ["index-lock"]],
    ["CREATE UNIQUE INDEX i ON public.t USING btree (a)", ["index-lock"]],
    ["create index concurrently i on t (a)", [], concurrently],
    ["create index concurrently i on t (a)", ["index-transaction"]],
    ["drop index i", ["table-lock"]],
    ["drop index concurrently i", [], concurrently],
    ["reindex table t", ["table-lock"]],
    ["create table n (a int); create index i on n (a); alter table n alter a type bigint; drop table n", []],
    ["alter table t alter column a type bigint", ["rewrite"]],
    ["alter table only t alter a set data type bigint", ["rewrite"]],
    ["alter table t alter column a type text", []],
    ["alter table t alter column a type text using a::text", ["rewrite"]],
    ["alter table t alter column a set not null", ["not-null"]],
    ["alter table t alter column a drop not null, alter b set default 3", []],
    ["alter table t add column a integer not null", ["not-null"]],
    ["alter table t add a integer not null default 3", []],
    ["alter table t add column if not exists a timestamptz default now()", []],
    ["alter table t add column a uuid default gen_random_uuid()", ["volatile-default"]],
    ["alter table t add column a bigserial", ["volatile-default"]],
    ["alter table t add column a int generated always as (b * 2) stored", ["volatile-default"]],
    ["alter table t add column indexed_id int references u (id)", ["constraint-scan"]],
    ["alter table t add column a numeric(10, 2), add column b varchar(10) not null", ["not-null"]],
    ["alter table t add constraint c check (a > 0)", ["constraint-scan"]],
    ["alter table t add constraint c check (a > 0) not valid", []],
    ["alter table t validate constraint c", []],
    ["alter table t add constraint c foreign key (indexed_id) references u (id)", ["constraint-scan"]],
    ["alter table t add constraint c foreign key (a) references u (id) not valid", ["foreign-key-index"]],
    ["alter table t add constraint c unique (a)", ["index-lock"]],
    ["alter table t add constraint c unique using index i", []],
    ["alter table t add primary key (a)", ["index-lock"]],
    ["alter table t drop column a", ["drop-column"]],
    ["alter table t drop constraint c", []],
    ["alter table t rename column a to b", ["rename-column"]],
    ["alter table t rename to v", ["rename-table"]],
    ["alter table t rename constraint c to d", []],
    ["drop table if exists t", ["drop-table"]],
    ["truncate t", ["table-lock"]],
    ["lock table t in exclusive mode", ["table-lock"]],
    ["vacuum full t", ["table-lock"]],
    ["set lock_timeout = 0", ["no-lock-timeout"]],
    ["set lock_timeout = '5s'", []],
    ["update t set a = 1", ["mass-change"]],
    ["update t set a = 1 where id = 1", []],
    ["delete from t", ["mass-change"]],
    ["insert into t values ('create index i on t (a); drop table t')", []],
    ["create function f() returns int language sql as $body$ update t set a = 1; select 1 $body$", []],
    ["-- drop table t\n/* drop table t */ select 1", []],
    ["create table n (a int references u (id))", ["foreign-key-index"]],
    ["create table n (a int references u (id)); create index i on n (a, b)", []],
    ["create table n (a int references u (id)); create index i on n (a) where a > 3", ["foreign-key-index"]],
    ["create table n (a int, b int, foreign key (a) references u (id), unique (a, b))", []],
    ["create table n (b int, a int references u (id), primary key (b, a))", ["foreign-key-index"]],
  ],
  mariadb: [
    ["create index i on t (a)", []],
    ["create fulltext index i on t (a)", ["index-lock"]],
    ["alter table t modify column a bigint", ["rewrite"]],
    ["alter table t change a a bigint", ["rewrite"]],
    ["alter table t change a b bigint", ["rename-column"]],
    ["alter table t modify a bigint, algorithm = instant", []],
    ["alter table t convert to character set utf8mb4", ["rewrite"]],
    ["alter table t add column a int not null", ["not-null"]],
    ["alter table t add column a int not null default 3", []],
    ["alter table t add foreign key (a) references u (id)", ["constraint-scan"]],
    ["alter table t add foreign key (a) references u (id), algorithm = inplace, lock = none", []],
    ["alter table t add index i (a)", []],
    ["alter table t drop a", ["drop-column"]],
    ["alter table t drop index i", []],
    ["rename table t to v", ["rename-table"]],
    ["create table n (a int); create table o (a int)", ["several-statements"]],
    ["delete from t", ["mass-change"]],
    ["create table n (a int references u (id))", []],
    ["create table n (a int) -- it's\n", []],
  ],
  sqlite: [
    ["create index i on t (a)", []],
    ["alter table t add column a integer not null", ["not-null"]],
    ["alter table t add column a text not null default ''", []],
    ["alter table t add column a text default current_timestamp", ["volatile-default"]],
    ["alter table t add column a text default (random())", ["volatile-default"]],
    ["alter table t add column a text unique", ["constraint-scan"]],
    ["alter table t drop column a", ["drop-column"]],
    ["alter table t rename a to b", ["rename-column"]],
    ["alter table t rename to v", ["rename-table"]],
    ["drop table t", ["drop-table"]],
    ["vacuum", ["table-lock"]],
    ["pragma foreign_keys = off", ["index-transaction"]],
    ["pragma foreign_keys = off", [], concurrently],
    ["create table n (a text references u (id))", ["foreign-key-index"]],
    ["create trigger x after insert on u begin update t set a = 1; delete from t; end; select 1", []],
  ],
};

for (const [dialect, dialectCases] of Object.entries(cases) as [DialectName, readonly Case[]][]) {
  for (const [sql, rules, options] of dialectCases) {
    test(`${dialect}: ${sql} → ${rules.join(", ") || "no finding"}${options === undefined ? "" : ", outside a transaction"}`, () => {
      assert.deepEqual(rulesOf(dialect, sql, options), rules);
    });
  }
}

test("the option and a comment silence a rule by its name, and no other", () => {
  const sql = "alter table t drop column a; alter table t rename column b to c";
  assert.deepEqual(rulesOf("postgresql", sql, { allow: ["drop-column"] }), ["rename-column"]);
  assert.deepEqual(rulesOf("postgresql", `-- lint: allow drop-column, rename-column\n${sql}`), []);
  assert.deepEqual(rulesOf("postgresql", `/* lint: allow drop-columns */ ${sql}`), ["drop-column", "rename-column"]);
});
for (const change of ["drop column described", "rename column described to other"])
  test(`${change}: a column that is still described is named`, () => {
    const steps = numberSteps([Migration.make("m", [Migration.step("s", `alter table t ${change}`)])]);
    const findings = lintSteps(steps, {
      dialect: dialectOf("sqlite"),
      existingTables: new Set(["t"]),
      describedColumns: new Set(["t.described"]),
    });
    assert.match(
      findings.map(({ problem }) => problem).join("\n"),
      /described table "t" still has the column "described"/,
    );
  });
test("a table that an earlier pending step creates is new", () => {
  const steps = numberSteps([
    Migration.make("m", [
      Migration.step("a", "create table n (a integer)"),
      Migration.step("b", "create index i on n (a); drop table n"),
    ]),
  ]);
  assert.deepEqual(lintSteps(steps, { dialect: dialectOf("postgresql"), existingTables: new Set() }), []);
});
test("each finding names the step, the statement and the safe way", () => {
  const steps = numberSteps([Migration.make("m", [Migration.step("s", "create  index i\n on t (a)")])]);
  const [finding] = lintSteps(steps, { dialect: dialectOf("postgresql"), existingTables: new Set(["t"]) });
  assert.deepEqual(finding, {
    rule: "index-lock",
    problem: 'Writes to "t" wait until the index is built.',
    advice: 'Write "create index concurrently" in a step with { transaction: false }.',
    step: 'm 1 "s"',
    statement: "create index i on t (a)",
  });
});
test("splits statements outside of texts, comments, quoted names and bodies", () => {
  const split = (text: string, dialect: DialectName): readonly string[] =>
    parseStatements(text, dialect).map((statement) => statement.text);
  assert.deepEqual(split("select ';', \"a;b\" -- ;\n; /* ; */ select 2;;", "sqlite"), [
    "select ';', \"a;b\" -- ;",
    "/* ; */ select 2",
  ]);
  assert.deepEqual(split("select $$a;b$$, $x$ ; $$ ; $x$; select E'\\';'", "postgresql"), [
    "select $$a;b$$, $x$ ; $$ ; $x$",
    "select E'\\';'",
  ]);
  assert.equal(split("select array[1;2]", "postgresql").length, 2);
  const trigger =
    "create trigger t after insert on a begin update a set x = case when 1 then 2 end; delete from b; end";
  assert.deepEqual(split(`${trigger}; select 1`, "sqlite"), [trigger, "select 1"]);
  const body =
    "if 1 then case 2 when 2 then set @a = 1; end case; end if; while 0 do set @a = 2; end while; set @a = 3";
  const routine = `create procedure p() begin ${body}; end`;
  assert.deepEqual(split(`${routine}; select 1`, "mariadb"), [routine, "select 1"]);
  assert.equal(split("select 1 # one; two\n + 1", "mariadb").length, 1);
  assert.equal(split("select '{}'::jsonb #> '{a}'; select 1", "postgresql").length, 2);
});
test("every text is split into statements whose tokens are part of it", () => {
  const piece = constantFrom(
    "'",
    '"',
    "`",
    "$$",
    "$a$",
    "--",
    "\n",
    "/*",
    "*/",
    ";",
    "(",
    ")",
    ",",
    "create",
    " table ",
    "t",
    "E'",
    "\\",
    "[",
    "]",
    "begin ",
    "end ",
    "trigger ",
    "1e5",
    "ä",
    ".",
  );
  const texts = array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  assertProperty(
    property(texts, constantFrom<DialectName>("sqlite", "postgresql", "mariadb"), (text, dialect) => {
      for (const statement of parseStatements(text, dialect)) {
        assert.ok(text.includes(statement.text) && statement.tokens.length > 0);
        for (const token of statement.tokens)
          assert.ok(statement.text.toLowerCase().includes(token.text.toLowerCase()));
      }
      rulesOf(dialect, text);
    }),
    { numRuns: rounds(2000) },
  );
});
