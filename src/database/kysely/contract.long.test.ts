// Runs the database contract with all statements and transactions sent through Kysely.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as runner from "node:test";
import { CompiledQuery, type Kysely } from "kysely";
import { mariadb as mariadbKind } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlKind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "limmat-contracts";
import type { TestRunner } from "limmat-contracts";
import { Configuration } from "../../config/index.ts";
import type { ContextOptions } from "../../core/index.ts";
import type { QueryResult, Dialect } from "../contract.ts";
import type { Database } from "../database.ts";
import type { DatabaseOptions } from "../settings.ts";
import { type Executor, makeOperations, type TransactionOptions } from "../operations.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import { sqlite } from "../sqlite/index.ts";
import type { Statement } from "../statement/statement.ts";
import { kysely } from "./kysely.ts";

type Db = Kysely<Record<string, never>>;

/** Returns a database whose operations run through Kysely. Operations that Kysely lacks use the database directly. */
function throughKysely(database: Database): Database {
  const db: Db = kysely(database);
  let dialect: Dialect | undefined;
  const compile = (statement: Statement<unknown>, options?: ContextOptions): CompiledQuery => {
    const [{ text }, values] = statement.compile(dialect ?? database.dialect(options));
    return CompiledQuery.raw(text, [...values]);
  };
  const executor = (instance: Db): Executor => ({
    textOf: () => "",
    execute: async (statement, { signal, ...options } = {}) => {
      const target = Object.keys(options).length === 0 ? instance : kysely(database, options);
      const result = await target.executeQuery(compile(statement, options), signal === undefined ? {} : { signal });
      return toQueryResult(result.rows as readonly Readonly<Record<string, unknown>>[], result.numAffectedRows);
    },
    async *batches(statement, options) {
      const rows = instance.getExecutor().stream(compile(statement, options), options?.batchSize ?? 500);
      for await (const batch of rows)
        yield toQueryResult(batch.rows as readonly Readonly<Record<string, unknown>>[], 0n);
    },
  });
  const transaction: Database["transaction"] = (callback, options = {}) => {
    const { readOnly = false, isolation, ...others } = options satisfies TransactionOptions;
    if (Object.keys(others).length > 0) return database.transaction(callback, options);
    const builder = db.transaction().setAccessMode(readOnly ? "read only" : "read write");
    const isolated = isolation === undefined ? builder : builder.setIsolationLevel(isolation);
    return isolated.execute(async (inner) => callback({ ...makeOperations(executor(inner)), transaction }));
  };
  const start: Database["start"] = async (context) => {
    await database.start(context);
    if (Configuration.readBool("DATABASE_SKIP_DEFAULT_POOL_CREATION") !== true) dialect = database.dialect();
  };
  return { ...database, ...makeOperations(executor(db)), transaction, start };
}

function toQueryResult(rows: readonly Readonly<Record<string, unknown>>[], affected: bigint | undefined): QueryResult {
  const columns = Object.keys(rows[0] ?? {}).map((name) => ({ name, kind: undefined }));
  return { columns, rows: rows.map((row) => columns.map(({ name }) => row[name])), affectedRows: Number(affected) };
}

// Kysely returns parsed JSON where row types expect text, dates where a cursor needs their text, and no columns for an empty result. The handles of this test
// are not the service's own.
const unsupported =
  /^(?:json: |a value that is not of type json|a statement without a row type|cursors have the values of the database|using a handle after the end of its transaction)/;

const skippingRunner: TestRunner = {
  ...runner,
  test: (name, run) => runner.test(name, unsupported.test(name) ? { skip: "not supported through Kysely" } : {}, run),
};

function contract(name: string, make: (options: DatabaseOptions) => Database, url: string): void {
  const subject = { make: (options: DatabaseOptions = {}) => throughKysely(make({ url, ...options })), url: () => url };
  databaseContract(`kysely on ${name}`, subject, skippingRunner);
}

const folder = mkdtempSync(join(tmpdir(), "limmat-kysely-"));
runner.after(() => rmSync(folder, { recursive: true, force: true }));
contract("sqlite", sqlite, join(folder, "contract.sqlite"));
await withServer(postgresqlKind, ({ url }) => contract("postgresql", postgresql, url));
await withServer(mariadbKind, ({ url }) => contract("mariadb", mariadb, url));
