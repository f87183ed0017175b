import { DatabaseSync } from "node:sqlite";
import { createConnection } from "mariadb";
import pg from "pg";
import { database, mariadb, sqliteFile, todo } from "./data.mjs";
import { fortunes } from "./world.ts";

/** Rows in the todos table at the start of every round. */
export const todoCount = 200;

const todos = Array.from({ length: todoCount }, (_, index) => todo(index + 1));

let postgresql: pg.Client | undefined;

/** Creates the databases of the run, with TechEmpower's tables. An older run's leftovers are replaced. */
export async function createDatabases(): Promise<void> {
  const server = new pg.Client({ ...database, database: "postgres" });
  await server.connect();
  await server.query(`drop database if exists ${database.database} with (force)`);
  await server.query(`create database ${database.database}`);
  await server.end();
  postgresql = new pg.Client(database);
  postgresql.on("error", () => {});
  await postgresql.connect();
  await postgresql.query(`
    create table world (id integer primary key, randomnumber integer not null default 0);
    insert into world select n, 1 + floor(random() * 10000) from generate_series(1, 10000) n;
    create table fortune (id integer primary key, message varchar(2048) not null);
    create table todos (
      id uuid primary key default gen_random_uuid(), title text not null, done boolean not null default false,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index todos_created_at on todos (created_at);`);
  await postgresql.query("insert into fortune select * from unnest($1::integer[], $2::text[])", [
    fortunes.map((_, index) => index + 1),
    fortunes,
  ]);
  await postgresql.query("analyze");
}

/** Drops what `createDatabases` and `resetTodos` created. */
export async function dropDatabases(): Promise<void> {
  await postgresql?.end();
  const server = new pg.Client({ ...database, database: "postgres" });
  await server.connect();
  await server.query(`drop database if exists ${database.database} with (force)`);
  await server.end();
}

/** Fills the todos table of one database with the same 200 rows. */
export async function resetTodos(name: string): Promise<void> {
  if (name === "postgresql") {
    await postgresql?.query("truncate todos");
    await postgresql?.query(
      `insert into todos (id, title, done, created_at, updated_at)
      select id, title, done, at, at from unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[]) t (id, title, done, at)`,
      [
        todos.map(({ id }) => id),
        todos.map(({ title }) => title),
        todos.map(({ done }) => done),
        todos.map(({ created_at }) => created_at),
      ],
    );
    await postgresql?.query("vacuum analyze todos");
  }
}
