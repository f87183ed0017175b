import assert from "node:assert/strict";
import { test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { sql, type Statement } from "../index.ts";
import { sqlite } from "../sqlite/index.ts";

test("a template with many texts leaves the names of prepared statements to others", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
  const nameOf = (statement: Statement<unknown>): string | undefined => statement.compile(database.dialect())[0].name;
  const select = (count: number): Statement<unknown> =>
    sql`select ${sql.join(Array.from({ length: count }, () => sql`'many texts'`))}`;
  const names = Array.from({ length: 40 }, (_, index) => nameOf(select(index + 1)));
  assert.equal(new Set(names.filter((name) => name !== undefined)).size, 24);
  assert.deepEqual(
    names.slice(24),
    Array.from({ length: 16 }, () => undefined),
  );
  assert.equal(nameOf(select(1)), names[0]);
  assert.notEqual(nameOf(sql`select 'another text'`), undefined);
  await database.stop();
  ConfigurationInternals.reset();
});

test("a text with SQL for each dialect is compiled once", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
  let placeholders = 0;
  const dialect = {
    ...database.dialect(),
    placeholder: (index: number) => {
      placeholders += 1;
      return database.dialect().placeholder(index);
    },
  };
  const compile = (value: number): readonly [text: string, values: readonly unknown[]] => {
    const [{ text }, values] = sql`select ${sql.dialect({
      sqlite: sql`${value} + 1`,
      postgresql: sql`${value} + 2`,
      mariadb: sql`${value} + ${3}`,
    })}`.compile(dialect);
    return [text, values];
  };
  assert.deepEqual(
    [compile(7), compile(8)],
    [
      ["select ? + 1", [7]],
      ["select ? + 1", [8]],
    ],
  );
  assert.equal(placeholders, 1);
  await database.stop();
  ConfigurationInternals.reset();
});
