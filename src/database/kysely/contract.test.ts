// The contract of databases, with the statements and transactions of the service sent through Kysely.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as runner from "node:test";
import { CompiledQuery, type Kysely } from "kysely";
import { mariadb as mariadbKind } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlKind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "../../testing/database/contract.ts";
import type { TestRunner } from "../../testing/database/subject.ts";
import type { Answer, Dialect } from "../contract.ts";
import type { Database, DatabaseOptions } from "../database.ts";
import { type Executor, operations } from "../operations.ts";
import type { TransactionOptions } from "../options.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import { sqlite } from "../sqlite/index.ts";
import type { Statement } from "../statement.ts";
import { kysely } from "./kysely.ts";

type Db = Kysely<Record<string, never>>;

/** The operations of a database, done by an instance of Kysely. What that has no words for is left to the database. */
function through(database: Database): Database {
  const db: Db = kysely(database);
  let dialect: Dialect | undefined;
  const compile = (statement: Statement<unknown>): CompiledQuery => {
    const [{ text }, values] = statement.compile(dialect ?? database.dialect());
    return CompiledQuery.raw(text, [...values]);
  };
  const executor = (on: Db): Executor => ({
    execute: async (statement, { signal, ...called } = {}) => {
      const own = Object.keys(called).length === 0 ? on : kysely(database, called);
      const result = await own.executeQuery(compile(statement), signal === undefined ? {} : { signal });
      return answerOf(result.rows as readonly Readonly<Record<string, unknown>>[], result.numAffectedRows);
    },
    async *batches(statement, options) {
      const rows = on.getExecutor().stream(compile(statement), options?.batch ?? 500);
      for await (const batch of rows) yield answerOf(batch.rows as readonly Readonly<Record<string, unknown>>[], 0n);
    },
  });
  const transaction: Database["transaction"] = (work, options = {}) => {
    const { readOnly = false, isolation, ...others } = options satisfies TransactionOptions;
    if (Object.keys(others).length > 0) return database.transaction(work, options);
    const builder = db.transaction().setAccessMode(readOnly ? "read only" : "read write");
    const isolated = isolation === undefined ? builder : builder.setIsolationLevel(isolation);
    return isolated.execute(async (inner) => work({ ...operations(executor(inner)), transaction }));
  };
  const start: Database["start"] = async (context) => {
    await database.start(context);
    dialect = database.dialect();
  };
  return { ...database, ...operations(executor(db)), transaction, start };
}

function answerOf(rows: readonly Readonly<Record<string, unknown>>[], affected: bigint | undefined): Answer {
  const columns = Object.keys(rows[0] ?? {}).map((name) => ({ name, kind: undefined }));
  return { columns, rows: rows.map((row) => columns.map(({ name }) => row[name])), affected: Number(affected) };
}

// Kysely gives JSON as values, where row types expect its text, and no columns where there are no rows. And the handles
// below are not the service's own.
const beyond = /^(?:json: |a value that is no json|a statement without a row type|a handle that is used after its end)/;

const patient: TestRunner = {
  ...runner,
  test: (name, run) => runner.test(name, beyond.test(name) ? { skip: "not by Kysely" } : {}, run),
};

function contract(name: string, make: (options: DatabaseOptions) => Database, url: string): void {
  const subject = { make: (options: DatabaseOptions = {}) => through(make({ url, ...options })), url: () => url };
  databaseContract(`kysely on ${name}`, subject, patient);
}

const folder = mkdtempSync(join(tmpdir(), "limmat-kysely-"));
runner.after(() => rmSync(folder, { recursive: true, force: true }));
contract("sqlite", sqlite, join(folder, "contract.sqlite"));
await withServer(postgresqlKind, ({ url }) => contract("postgresql", postgresql, url));
await withServer(mariadbKind, ({ url }) => contract("mariadb", mariadb, url));
