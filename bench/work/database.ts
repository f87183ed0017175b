import { argon2Sync, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import * as mariadb from "mariadb";
import { Client } from "pg";
import { accounts, database, mariadbDatabase, password, sqliteFile, subjects, todo } from "./data.mjs";
import { fortunes } from "./world.ts";

/** Number of rows in the todos table at the start of every round, unless a benchmark asks for more. */
export const todoCount = 200;

const todos = Array.from({ length: todoCount }, (_, index) => todo(index + 1));

/** `2026-01-31 12:00:00.000` */
const text = (date: Date): string => date.toISOString().replace("T", " ").slice(0, 23);

let client: Client | undefined;

/** Creates the PostgreSQL database of the run with TechEmpower's tables. Drops those of runs that were killed. */
export async function createDatabases(): Promise<void> {
  await dropOldDatabases();
  await onServer(`create database ${database.database}`);
  client = new Client(database);
  client.on("error", () => {});
  await client.connect();
  await client.query(`
    create table world (id integer primary key, randomnumber integer not null default 0);
    insert into world select n, 1 + floor(random() * 10000) from generate_series(1, 10000) n;
    create table fortune (id integer primary key, message varchar(2048) not null);
    create table todos (
      id uuid primary key default gen_random_uuid(), title text not null, done boolean not null default false,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index todos_created_at on todos (created_at);
    create table accounts (
      id uuid primary key default gen_random_uuid(), email text not null unique, password text not null);`);
  await client.query("insert into fortune select * from unnest($1::integer[], $2::text[])", [
    fortunes.map((_, index) => index + 1),
    fortunes,
  ]);
  await client.query("insert into accounts (email, password) select email, $2 from unnest($1::text[]) email", [
    accounts,
    passwordHash(),
  ]);
  await client.query("analyze");
}

async function dropOldDatabases(): Promise<void> {
  const rows = await onServer("select datname from pg_database where datname ~ '^limmat_bench_[0-9]+$'");
  for (const { datname } of rows as readonly { datname: string }[]) {
    try {
      process.kill(Number(datname.split("_")[2]), 0);
    } catch {
      await onServer(`drop database if exists ${datname} with (force)`);
    }
  }
}

/** Returns the hash of the common password in PHC format: argon2id, 19 MiB, 2 passes. */
function passwordHash(): string {
  const nonce = randomBytes(16);
  const hash = argon2Sync("argon2id", {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  const encoded = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=19456,t=2,p=1$${encoded(nonce)}$${encoded(hash)}`;
}

/** Drops the databases of `createDatabases` and `resetTodos`. */
export async function dropDatabases(): Promise<void> {
  await client?.end();
  await onServer(`drop database if exists ${database.database} with (force)`);
  if (hasMariadb) await onMariadb((connection) => connection.query(`drop database ${mariadbDatabase.database}`));
  for (const suffix of ["", "-wal", "-shm"]) rmSync(sqliteFile + suffix, { force: true });
}

/** Returns the version of PostgreSQL for the results. */
export async function postgresqlVersion(): Promise<string> {
  const { rows } = (await client?.query("show server_version")) ?? { rows: [] };
  return String(rows[0]?.server_version ?? "").split(" ")[0] ?? "";
}

async function onServer(statement: string): Promise<readonly unknown[]> {
  const server = new Client({ ...database, database: "postgres" });
  await server.connect();
  const { rows } = await server.query(statement);
  await server.end();
  return rows;
}

const resets: Readonly<Record<string, () => Promise<void>>> = {
  postgresql: () => fillPostgresql(todoCount),

  async sqlite() {
    using sqlite = new DatabaseSync(sqliteFile);
    sqlite.exec(`
      pragma journal_mode = wal;
      create table if not exists todos (
        id uuid_text primary key, title text not null, done boolean not null,
        created_at timestamp_text not null, updated_at timestamp_text not null);
      create index if not exists todos_created_at on todos (created_at);
      begin;
      delete from todos;`);
    const insert = sqlite.prepare("insert into todos values (?, ?, ?, ?, ?)");
    for (const { id, title, done, created_at } of todos)
      insert.run(id, title, Number(done), text(created_at), text(created_at));
    sqlite.exec("commit");
  },

  async mariadb() {
    hasMariadb = true;
    await onMariadb(async (connection) => {
      await connection.query(`create database if not exists ${mariadbDatabase.database} character set utf8mb4`);
      await connection.query(`use ${mariadbDatabase.database}`);
      await connection.query(`create table if not exists todos (
        id char(36) character set ascii primary key, title text not null, done boolean not null,
        created_at datetime(3) not null, updated_at datetime(3) not null, index (created_at))`);
      await connection.query("truncate table todos");
      await connection.batch(
        "insert into todos values (?, ?, ?, ?, ?)",
        todos.map(({ id, title, done, created_at }) => [id, title, done, text(created_at), text(created_at)]),
      );
    });
  },
};

let hasMariadb = false;

async function onMariadb(work: (connection: mariadb.Connection) => Promise<unknown>): Promise<void> {
  const connection = await mariadb.createConnection({ ...mariadbDatabase, database: "" });
  await work(connection);
  await connection.end();
}

/** Fills the todos table of one database with the same 200 rows. */
export async function resetTodos(name: string): Promise<void> {
  await resets[name]?.();
}

/** Number of unchanged rows in the todos table on PostgreSQL, or `undefined` if a benchmark may have changed them. */
let unchangedRows: number | undefined;

async function fillPostgresql(count: number): Promise<void> {
  unchangedRows = undefined;
  await client?.query("truncate todos");
  await client?.query(
    `insert into todos (id, title, done, created_at, updated_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
      'Task ' || n || ': ' || ($2::text[])[n % $3 + 1], n % 3 = 0, at, at
    from generate_series(1, $1::integer) n, lateral (select timestamptz '2026-01-01 00:00Z' + n * interval '1 hour') t (at)`,
    [count, subjects, subjects.length],
  );
  await client?.query("vacuum analyze todos");
}

/** Fills the todos table on PostgreSQL with any number of rows for benchmarks that only read them. */
export async function provideTodos(count: number): Promise<void> {
  if (unchangedRows === count) return;
  await fillPostgresql(count);
  unchangedRows = count;
}
