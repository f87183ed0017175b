import assert from "node:assert/strict";
import { test } from "node:test";
import { addLengthChecks } from "./length-checks.ts";

const check = (name: string, length: number): string => `constraint limmat_length check (length(${name}) <= ${length})`;

for (const [title, script, expected] of [
  ["a column", "create table t (a varchar(5) not null)", `create table t (a varchar(5) not null ${check("a", 5)})`],
  [
    "several columns, with quotes and spaces",
    'CREATE TABLE t ("a" VARCHAR ( 5 ), b char(2))',
    `CREATE TABLE t ("a" VARCHAR ( 5 ) ${check('"a"', 5)}, b char(2) ${check("b", 2)})`,
  ],
  [
    "an added column",
    "alter table t add column a varchar(5)",
    `alter table t add column a varchar(5) ${check("a", 5)}`,
  ],
  [
    "a column with a check, so that neither has the name of the other",
    `create table t (a varchar(5) default ', (' check (a in ('x', 'y,')) -- a, comment
, b integer)`,
    `create table t (a varchar(5) default ', (' check (a in ('x', 'y,')) ${check("a", 5)} -- a, comment
, b integer)`,
  ],
  [
    "columns of several statements",
    "create table t (a varchar(5) /* , */ ); alter table t add b char(2); select 1",
    `create table t (a varchar(5) ${check("a", 5)} /* , */ ); alter table t add b char(2) ${check("b", 2)}; select 1`,
  ],
] as const) {
  test(`adds length checks to ${title}`, () => assert.equal(addLengthChecks(script), expected));
}
for (const text of [
  "create table t (a text, b integer)",
  "create table t (a text, b text as (cast(a as varchar(5))))",
  "create view v as select cast(a as varchar(5)) from t",
  "insert into t values ('a varchar(5)')",
]) {
  test(`leaves ${text} unchanged`, () => assert.equal(addLengthChecks(text), text));
}
