import assert from "node:assert/strict";
import { test } from "node:test";
import { testServerFaults } from "../../../test/database/faults/contract.ts";
import { type ConnectionState, insert } from "../../../test/database/faults/subject.ts";
import { postgresql as kind, queryRows, runStatement, startPostgresql } from "../../../test/servers/postgresql.ts";
import { isError } from "../../core/index.ts";
import { testConnectStandstill } from "../connect-standstill.test.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { postgresql } from "./postgresql.ts";

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

const conditionOf = (url: string, state: ConnectionState): string => {
  const condition =
    typeof state === "string"
      ? `state = '${state === "idle" ? "idle" : "idle in transaction"}'`
      : `state = 'active' and query like '%${state.running}%'`;
  return `datname = '${nameOf(url)}' and pid <> pg_backend_pid() and ${condition}`;
};

await testServerFaults(
  {
    kind,
    defaultPort: 5432,
    create: postgresql,
    startServer: async () => {
      const server = await startPostgresql();
      return server && { ...server, databaseUrl: server.url };
    },
    // The default of 1 s would slow down the deadlock tests.
    prepare: (url) => runStatement(url, `alter database ${nameOf(url)} set deadlock_timeout = '20ms'`),
    // Waits until the backends have exited.
    closeConnections: (url, state) =>
      runStatement(
        url,
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where ${conditionOf(url, state)}`,
      ),
    countRunning: async (url, text) =>
      (await queryRows(url, `select pid from pg_stat_activity where ${conditionOf(url, { running: text })}`)).length,
    begin: "begin",
    commit: "commit\0",
    lockTimeoutMs: 100,
    timeoutCodes: ["E_DATABASE_TIMEOUT"],
  },
  ({ database }) => {
    test("a serialization failure is a typed error", async () => {
      const both = Promise.withResolvers<undefined>();
      let reads = 0;
      const insertAfterBothReads = async (id: number): Promise<void> => {
        await database().find(sql.value(Row.int)`select count(*) from entries`);
        if (++reads === 2) both.resolve(undefined);
        await both.promise;
        await database().exec(insert(id));
      };
      const outcomes = await Promise.allSettled(
        [1, 2].map((id) => database().transaction(() => insertAfterBothReads(id), { isolation: "serializable" })),
      );
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0]?.reason, "E_DATABASE_SERIALIZATION"));
    });
  },
);

await testConnectStandstill({ kind, defaultPort: 5432, make: postgresql });
