import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as mariadb from "mariadb";
import { Client } from "pg";

/** Measured databases. */
export const engines = ["postgresql", "mariadb", "sqlite"] as const;

export type Engine = (typeof engines)[number];

/** Number of rows of each table. */
export const rowCount = 1000;

/** Name of the database of a run on each server. */
const name = `limmat_bench_rows_${process.pid}`;

/** Row with values that drivers return in different forms: UUID, boolean and timestamp. */
export interface Todo {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly created_at: Date;
}

const subjects = ["Buy oat milk", "Call <the> plumber", 'Read "Middlemarch"', "Water plants & herbs", "Book train"];

export const todos: readonly Todo[] = Array.from({ length: rowCount }, (_, index) => ({
  id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`,
  title: `Task ${index + 1}: ${subjects[index % subjects.length]}`,
  done: index % 3 === 0,
  created_at: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000),
}));

/** Database created for a run. */
export interface Prepared {
  readonly url: string;
  /** Version of the server. */
  readonly version: string;
  readonly drop: () => Promise<void>;
}

/** `2026-01-31 12:00:00.000` */
const text = (date: Date): string => date.toISOString().replace("T", " ").slice(0, 23);

const makers: Readonly<Record<Engine, () => Promise<Prepared>>> = {
  async postgresql() {
    const onServer = async (statement: string): Promise<string> => {
      const server = new Client("postgresql://postgres@127.0.0.1:5432/postgres");
      await server.connect();
      const { rows } = await server.query<{ server_version?: string }>(statement);
      await server.end();
      return rows[0]?.server_version?.split(" ")[0] ?? "";
    };
    await onServer(`drop database if exists ${name} with (force)`);
    await onServer(`create database ${name}`);
    const url = `postgresql://postgres@127.0.0.1:5432/${name}`;
    const client = new Client(url);
    await client.connect();
    await client.query(`create table todos (id uuid primary key, title text not null, done boolean not null,
      created_at timestamptz not null); create table numbers (id integer primary key, number integer not null, title text not null)`);
    await client.query(
      "insert into todos select * from unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[])",
      [
        todos.map(({ id }) => id),
        todos.map(({ title }) => title),
        todos.map(({ done }) => done),
        todos.map(({ created_at }) => created_at),
      ],
    );
    await client.query("insert into numbers select n, n * 7, 'Number ' || n from generate_series(1, 1000) n; analyze");
    await client.end();
    const drop = async (): Promise<void> => void (await onServer(`drop database if exists ${name} with (force)`));
    return { url, version: await onServer("show server_version"), drop };
  },

  async mariadb() {
    const onServer = async <T>(work: (connection: mariadb.Connection) => Promise<T>): Promise<T> => {
      const connection = await mariadb.createConnection({ host: "127.0.0.1", user: "root" });
      try {
        return await work(connection);
      } finally {
        await connection.end();
      }
    };
    const version = await onServer(async (connection) => {
      await connection.query(`drop database if exists ${name}`);
      await connection.query(`create database ${name} character set utf8mb4`);
      await connection.query(`use ${name}`);
      await connection.query(`create table todos (id uuid primary key, title varchar(200) not null, done boolean not null,
        created_at datetime(3) not null)`);
      await connection.query(
        "create table numbers (id int primary key, number int not null, title varchar(200) not null)",
      );
      await connection.batch(
        "insert into todos values (?, ?, ?, ?)",
        todos.map(({ id, title, done, created_at }) => [id, title, done, text(created_at)]),
      );
      await connection.batch(
        "insert into numbers values (?, ?, ?)",
        todos.map((_, index) => [index + 1, (index + 1) * 7, `Number ${index + 1}`]),
      );
      return connection.serverVersion();
    });
    const drop = async (): Promise<void> =>
      void (await onServer((connection) => connection.query(`drop database if exists ${name}`)));
    return { url: `mariadb://root@127.0.0.1:3306/${name}`, version: version.split("-")[0] ?? version, drop };
  },

  sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "limmat-bench-"));
    const url = join(folder, "rows.sqlite");
    using database = new DatabaseSync(url);
    database.exec(`pragma journal_mode = wal;
      create table todos (id uuid_text primary key, title text not null, done boolean not null, created_at timestamp_text not null);
      create table numbers (id integer primary key, number integer not null, title text not null)`);
    const todo = database.prepare("insert into todos values (?, ?, ?, ?)");
    const number = database.prepare("insert into numbers values (?, ?, ?)");
    database.exec("begin");
    for (const [index, { id, title, done, created_at }] of todos.entries()) {
      todo.run(id, title, Number(done), text(created_at));
      number.run(index + 1, (index + 1) * 7, `Number ${index + 1}`);
    }
    database.exec("commit");
    const drop = (): Promise<void> => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
    return Promise.resolve({ url, version: process.versions["sqlite"] ?? "", drop });
  },
};

/** Creates the tables of a run in their own database and replaces those of an earlier run. */
export const prepare = (engine: Engine): Promise<Prepared> => makers[engine]();
