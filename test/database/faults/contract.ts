// Contract of a database server that fails: closed connections, a broken network, conflicts, cancellation and a restart.
import { after, before, beforeEach } from "node:test";
import { type Database, sql } from "limmat/database";
import { withServer } from "../../servers/server.ts";
import { testCancellation } from "./cancellation.ts";
import { testClosedConnections } from "./closed-connections.ts";
import { testConflicts } from "./conflicts.ts";
import { testFailingNetwork } from "./network.ts";
import { testRestart } from "./restart.ts";
import type { FaultContext, FaultOptions, FaultSubject } from "./subject.ts";

/** Options of a handle whose operations wait until the test ends them, on a machine of any speed. */
const patientOptions = {
  acquireTimeoutMs: 600_000,
  connectTimeoutMs: 120_000,
  lockTimeoutMs: 600_000,
  statementTimeoutMs: 600_000,
};

/** Registers the tests of a database server that fails. `registerMore` registers those of this server alone. */
export async function testServerFaults(
  subject: FaultSubject,
  registerMore?: (context: FaultContext) => void,
): Promise<void> {
  const started = new Set<Database>();
  const start = async (options: FaultOptions): Promise<Database> => {
    const database = subject.create({ ...patientOptions, ...options });
    await database.start({ services: [database] });
    started.add(database);
    return database;
  };
  after(async () => {
    for (const database of started) await database.stop();
  });

  await withServer(subject.kind, ({ url }) => {
    let database: Database;
    before(async () => {
      await subject.prepare?.(url);
      database = await start({ url });
      await database.exec(sql`create table entries (id integer primary key)`);
      await database.exec(sql`create table accounts (id integer primary key, balance integer not null)`);
      await database.exec(sql`create table delays (seconds integer not null)`);
    });
    beforeEach(async () => {
      await database.exec(sql`delete from entries`);
      await database.exec(sql`delete from accounts`);
      const rows = Array.from({ length: 20 }, (_, index) => sql`(${index + 1}, 1000)`);
      await database.exec(sql`insert into accounts (id, balance) values ${sql.join(rows)}`);
    });

    const context: FaultContext = { subject, url, database: () => database, start };
    testClosedConnections(context);
    testFailingNetwork(context);
    testConflicts(context);
    testCancellation(context);
    registerMore?.(context);
  });
  testRestart(subject, start);
}
