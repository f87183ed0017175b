import { DatabaseSync } from "node:sqlite";
import * as mariadb from "mariadb";
import { Client } from "pg";
import type { Engine } from "../data.ts";
import { type NewEntry, pageSize } from "./contestants/contestant.ts";

/** Numbers of rows. Every issue has two labels. */
const counts = { people: 100, labels: 20, issues: 1000, records: 1_000_000 };

/** Page that is compared with the first. */
const deepPage = 10_000;

/** Returns the id of row `n` of a table: its letter in the first place tells the tables apart. */
const idOf = (letter: string, n: number): string => `${letter}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const start = Date.UTC(2026, 0, 1);

/** Id of issue `n`, from 1. */
export const issueId = (n: number): string => idOf("c", n);

export const issueCount: number = counts.issues;

/** Records in groups of five, of which the first three are open. Two have the same time. */
const isOpen = (n: number): boolean => n % 5 < 3;
const recordTime = (n: number): Date => new Date(start + Math.floor(n / 2) * 1000);

/** Position of a record in the list of open records, the newest first. */
export interface Position {
  readonly id: string;
  readonly created_at: Date;
}

function openRecord(position: number): Position {
  let rest = position;
  for (let n = counts.records; n > 0; n -= 1) {
    if (isOpen(n) && (rest -= 1) === 0) return { id: idOf("d", n), created_at: recordTime(n) };
  }
  throw new Error(`There are not ${position} open records`);
}

/** Last record before page 2. */
export const lastOfPage1: Position = openRecord(pageSize);

/** Last record before page 10,000. */
export const lastBefore: Position = openRecord((deepPage - 1) * pageSize);

/** Expected first records of the pages. */
export const firstOf: Readonly<Record<"page1" | "page2" | "page10000", string>> = {
  page1: openRecord(1).id,
  page2: openRecord(pageSize + 1).id,
  page10000: openRecord((deepPage - 1) * pageSize + 1).id,
};

/** Number of records before page 10,000. */
export const deepOffset: number = (deepPage - 1) * pageSize;

/** Entries to insert at once. */
export const entries: readonly NewEntry[] = Array.from({ length: 10_000 }, (_, index) => ({
  title: `Entry ${index + 1}: call <the> plumber & read "Middlemarch"`,
  state: index % 3 === 0 ? "open" : "closed",
  number: index + 1,
  created_at: new Date(start + index * 60_000),
}));

interface Types {
  readonly uuid: string;
  readonly string: string;
  readonly int: string;
  readonly timestamp: string;
}

const types: Readonly<Record<Engine, Types>> = {
  postgresql: { uuid: "uuid", string: "text", int: "integer", timestamp: "timestamptz" },
  mariadb: { uuid: "uuid", string: "varchar(200)", int: "int", timestamp: "datetime(3)" },
  sqlite: { uuid: "uuid_text", string: "text", int: "integer", timestamp: "timestamp_text" },
};

/** Returns the tables, with the indexes that limmat creates for them. */
function tables(engine: Engine): readonly string[] {
  const { uuid, string, int, timestamp } = types[engine];
  const columns = `id ${uuid} primary key, title ${string} not null, state ${string} not null, number ${int} not null, created_at ${timestamp} not null`;
  return [
    `create table people (id ${uuid} primary key, email ${string} not null)`,
    `create table labels (id ${uuid} primary key, name ${string} not null)`,
    `create table issues (${columns}, assignee_id ${uuid} null references people (id))`,
    `create table issue_labels (issue_id ${uuid} not null references issues (id), label_id ${uuid} not null references labels (id),
      primary key (issue_id, label_id))`,
    "create index issue_labels_label_id on issue_labels (label_id)",
    "create index issues_assignee_id on issues (assignee_id)",
    `create table entries (${columns})`,
    `create table records (${columns})`,
  ];
}

/** SQL of an engine: a row per number, its id, and its time in seconds after the start. */
interface Generator {
  readonly from: (count: number) => string;
  readonly id: (letter: string, n: string) => string;
  readonly text: (prefix: string) => string;
  readonly time: (seconds: string) => string;
}

const generators: Readonly<Record<Engine, Generator>> = {
  postgresql: {
    from: (count) => `generate_series(1, ${count}) n`,
    id: (letter, n) => `('${letter}0000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`,
    text: (prefix) => `'${prefix} ' || n`,
    time: (seconds) => `timestamptz '2026-01-01 00:00:00+00' + (${seconds}) * interval '1 second'`,
  },
  mariadb: {
    from: (count) => `(select seq n from seq_1_to_${count}) numbers`,
    id: (letter, n) => `concat('${letter}0000000-0000-4000-8000-', lpad(${n}, 12, '0'))`,
    text: (prefix) => `concat('${prefix} ', n)`,
    time: (seconds) => `timestamp '2026-01-01 00:00:00' + interval (${seconds}) second`,
  },
  sqlite: {
    from: (count) =>
      `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers)`,
    id: (letter, n) => `'${letter}0000000-0000-4000-8000-' || printf('%012d', ${n})`,
    text: (prefix) => `'${prefix} ' || n`,
    time: (seconds) => `strftime('%Y-%m-%d %H:%M:%S', '2026-01-01', (${seconds}) || ' seconds') || '.000'`,
  },
};

/** Returns the statements that fill the tables with the same rows on every engine. */
function rows(engine: Engine): readonly string[] {
  const { from, id, text, time } = generators[engine];
  const state = "case when n % 5 < 3 then 'open' else 'closed' end";
  const seconds = engine === "mariadb" ? "n div 2" : "n / 2";
  return [
    `insert into people (id, email) select ${id("a", "n")}, ${text("person")} from ${from(counts.people)}`,
    `insert into labels (id, name) select ${id("b", "n")}, ${text("label")} from ${from(counts.labels)}`,
    `insert into issues (id, title, state, number, assignee_id, created_at)
      select ${id("c", "n")}, ${text("Issue")}, ${state}, n, case when n % 10 = 0 then null else ${id("a", "n % 100 + 1")} end, ${time(seconds)}
      from ${from(counts.issues)}`,
    ...["n % 10 + 1", "n % 10 + 11"].map(
      (label) =>
        `insert into issue_labels (issue_id, label_id) select ${id("c", "n")}, ${id("b", label)} from ${from(counts.issues)}`,
    ),
    `insert into records (id, title, state, number, created_at)
      select ${id("d", "n")}, ${text("Record")}, ${state}, n, ${time(seconds)} from ${from(counts.records)}`,
    // The index that the sort columns of the table have in limmat.
    "create index records_created_at_id on records (created_at, id)",
  ];
}

/** Runs statements of a run outside the contestants. */
export interface Server {
  readonly exec: (statement: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connects to the database of a run. */
export async function connect(engine: Engine, url: string): Promise<Server> {
  if (engine === "postgresql") {
    const client = new Client(url);
    await client.connect();
    return { exec: async (statement) => void (await client.query(statement)), close: () => client.end() };
  }
  if (engine === "mariadb") {
    const connection = await mariadb.createConnection(url);
    return {
      exec: async (statement) => void (await connection.query(statement)),
      close: () => connection.end(),
    };
  }
  const database = new DatabaseSync(url, { timeout: 10_000 });
  return {
    exec: (statement) => Promise.resolve(database.exec(statement)),
    close: () => Promise.resolve(database.close()),
  };
}

/** Creates and fills the tables. */
export async function prepareTables(engine: Engine, url: string): Promise<void> {
  const { exec, close } = await connect(engine, url);
  for (const statement of [...tables(engine), ...rows(engine)]) await exec(statement);
  if (engine === "postgresql") await exec("vacuum analyze");
  if (engine === "sqlite") await exec("analyze");
  if (engine === "mariadb") await exec("analyze table people, labels, issues, issue_labels, records");
  await close();
}

/** Empties the table of entries. */
export const emptyEntries = (engine: Engine): string =>
  engine === "sqlite" ? "delete from entries" : "truncate table entries";
