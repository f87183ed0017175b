import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { Todo } from "../data.ts";
import type { Open } from "./contestant.ts";

interface Tables {
  readonly todos: Todo;
  readonly numbers: { readonly id: number; readonly number: number; readonly title: string };
}

/** Opens Kysely with its own dialect for PostgreSQL. */
export const open: Open = (connectionString) => {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 10 }) }),
  });
  const todos = db.selectFrom("todos").select(["id", "title", "done", "created_at"]);
  const numbers = db.selectFrom("numbers").select(["id", "number", "title"]);
  return Promise.resolve({
    find: (id) => todos.where("id", "=", id).executeTakeFirst(),
    findNumber: (id) => numbers.where("id", "=", id).executeTakeFirst(),
    collect: () => todos.execute(),
    collectNumbers: () => numbers.execute(),
    close: () => db.destroy(),
  });
};
