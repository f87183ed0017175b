import { testServerFaults } from "../../../test/database/faults/contract.ts";
import { type ConnectionState, waitMs } from "../../../test/database/faults/subject.ts";
import { mariadb as kind, queryRows, startMariadb } from "../../../test/servers/mariadb.ts";
import { waitFor } from "../../testing/index.ts";
import { testConnectStandstill } from "../connect-standstill.test.ts";
import { mariadb } from "./mariadb.ts";

/** Returns the thread ids of the other connections to the database that match a condition. */
async function threadIds(url: string, where: string): Promise<readonly unknown[]> {
  const rows = await queryRows(
    url,
    `select id from information_schema.processlist
    where db = '${new URL(url).pathname.slice(1)}' and id <> connection_id() and ${where}`,
  );
  return rows.map(([id]) => id);
}

const hasText = (text: string): string => `info like '%${text}%'`;

/**
 * Returns the thread ids of the connections in a state. The server sends the response to a statement before it shows
 * the thread as sleeping: waits until no thread is in between.
 */
async function threadsInState(url: string, state: ConnectionState): Promise<readonly unknown[]> {
  if (typeof state !== "string") return await threadIds(url, hasText(state.running));
  await waitFor(async () => (await threadIds(url, "command <> 'Sleep'")).length === 0, { timeoutMs: waitMs });
  return await threadIds(url, "true");
}

await testServerFaults({
  kind,
  defaultPort: 3306,
  create: mariadb,
  startServer: async () => {
    // A commit reaches the system, so that it survives the end of the process.
    const server = await startMariadb(["--innodb-flush-log-at-trx-commit=2"]);
    if (server === undefined) return undefined;
    await queryRows(server.url, "create database app");
    return { ...server, databaseUrl: `${server.url}app` };
  },
  closeConnections: async (url, state) => {
    const closedIds = await threadsInState(url, state);
    for (const id of closedIds) await queryRows(url, `kill ${String(id)}`).catch(() => {});
    if (closedIds.length === 0) return;
    await waitFor(async () => (await threadIds(url, `id in (${closedIds.join(", ")})`)).length === 0, {
      timeoutMs: waitMs,
    });
  },
  countRunning: async (url, text) => (await threadIds(url, hasText(text))).length,
  begin: "start transaction",
  commit: "commit",
  lockTimeoutMs: 1000,
  timeoutCodes: ["E_DATABASE_TIMEOUT", "E_DATABASE_CONNECT", "E_DATABASE_POOL_TIMEOUT"],
});

await testConnectStandstill({ kind, defaultPort: 3306, make: mariadb });
