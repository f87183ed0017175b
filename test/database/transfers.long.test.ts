// Fifty concurrent clients book two hundred transfers each between few accounts, half of them in the opposite order.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Configuration, isError, Migration } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer, runStatement } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const clientCount = 50;
const transfersPerClient = 200;
/** Number of accounts per isolation level: few enough for conflicts, and enough that most transactions succeed. */
const accountCounts = { default: 20, serializable: 60 };

const migrations = [
  Migration.make("bank", [
    Migration.step("accounts", ({ int }) => `create table accounts (id ${int} primary key, balance ${int} not null)`),
  ]),
];

const balanceOf = (id: number) => sql.value(Row.int)`select balance from accounts where id = ${id}`;
const addStatement = (id: number, amount: number) =>
  sql`update accounts set balance = balance + ${amount} where id = ${id}`;
const setStatement = (id: number, balance: number) => sql`update accounts set balance = ${balance} where id = ${id}`;

/** Books a transfer, per isolation level: by an atomic addition, or by writing a balance that was read before. */
const bookTransfer = {
  default: async (database: Database, from: number, to: number): Promise<void> => {
    await database.exec(addStatement(from, -1));
    await database.exec(addStatement(to, 1));
  },
  serializable: async (database: Database, from: number, to: number): Promise<void> => {
    await database.exec(setStatement(from, (await database.find(balanceOf(from))) - 1));
    await database.exec(setStatement(to, (await database.find(balanceOf(to))) + 1));
  },
};

interface Bank {
  /** Creates a service on the same database. */
  readonly make: () => Database;
  readonly prepare?: () => Promise<void>;
  /** Errors that must occur at least once, so that the test exercises the retries of the level. */
  readonly expectedErrors: Readonly<Record<keyof typeof bookTransfer, readonly string[]>>;
}

function transferCases(name: string, { make, prepare, expectedErrors }: Bank): void {
  describe(name, () => {
    // Two services, so that two writers conflict on SQLite too.
    const databases = [make(), make()] as const;
    const [database] = databases;
    before(async () => {
      Configuration.store([["DATABASE_POOL_SIZE", "4"]]);
      await prepare?.();
      for (const service of databases) await service.start({ services: [service] });
      const migration = Migration.service({ database, migrations, onPending: "run" });
      await migration.start({ services: [database, migration] });
    });
    after(async () => {
      for (const service of databases) await service.stop();
      ConfigurationInternals.reset();
    });
    const insertAccounts = async (count: number): Promise<void> => {
      await database.exec(sql`delete from accounts`);
      for (let id = 0; id < count; id++) await database.exec(sql`insert into accounts values (${id}, ${1000})`);
    };

    for (const level of ["default", "serializable"] as const) {
      test(`books ten thousand concurrent transfers exactly once with retries: ${level} level`, async (t) => {
        const accounts = accountCounts[level];
        await insertAccounts(accounts);
        const options = level === "default" ? { maxRetries: 100 } : { maxRetries: 100, isolation: level };
        const errorCounts = new Map<string, number>();
        let maxAttempts = 0;
        const expected = Array.from({ length: accounts }, () => 1000);
        const runClient = async (number: number): Promise<void> => {
          const service = databases[number % 2] as Database;
          for (let transfer = 0; transfer < transfersPerClient; transfer++) {
            const low = (number * 7 + transfer) % accounts;
            const high = (low + 1 + ((number + transfer * 3) % (accounts - 1))) % accounts;
            const [from, to] = (number + transfer) % 2 === 0 ? [low, high] : [high, low];
            let attempts = 0;
            const book = async (): Promise<void> => {
              attempts += 1;
              try {
                await bookTransfer[level](service, from, to);
              } catch (error) {
                const code = isError(error) ? error.code : String(error);
                errorCounts.set(code, (errorCounts.get(code) ?? 0) + 1);
                throw error;
              }
            };
            await service.transaction(book, options);
            maxAttempts = Math.max(maxAttempts, attempts);
            expected[from] = (expected[from] ?? 0) - 1;
            expected[to] = (expected[to] ?? 0) + 1;
          }
        };
        await Promise.all(Array.from({ length: clientCount }, (_, number) => runClient(number)));
        t.diagnostic(`${JSON.stringify(Object.fromEntries(errorCounts))}, at most ${maxAttempts} attempts`);

        const balances = await database.collect(sql.value(Row.int)`select balance from accounts order by id`);
        assert.equal(
          balances.reduce((sum, balance) => sum + balance, 0),
          accounts * 1000,
        );
        assert.deepEqual(balances, expected, "each transfer was booked once");
        for (const code of expectedErrors[level]) assert.ok((errorCounts.get(code) ?? 0) > 0, `${code} never occurred`);
        for (const service of databases) {
          assert.deepEqual([service.poolStats().used, service.poolStats().waiting], [0, 0]);
        }
      });
    }
  });
}

const timeouts = { acquireTimeoutMs: 60_000, lockTimeoutMs: 30_000 };

const folder = mkdtempSync(join(tmpdir(), "limmat-transfers-"));
after(() => rmSync(folder, { recursive: true, force: true }));
transferCases("SQLite", {
  make: () => sqlite({ url: join(folder, "bank.sqlite"), synchronous: "normal", ...timeouts }),
  expectedErrors: { default: [], serializable: [] },
});
await withServer(postgresqlServer, ({ url }) => {
  transferCases("PostgreSQL", {
    make: () => postgresql({ url, ...timeouts }),
    // The default deadlock_timeout of 1 s is too long for a test with many deadlocks. Durability does not matter here.
    prepare: async () => {
      const name = new URL(url).pathname.slice(1);
      for (const setting of ["deadlock_timeout = '20ms'", "synchronous_commit = off"]) {
        await runStatement(url, `alter database ${name} set ${setting}`);
      }
    },
    expectedErrors: { default: ["E_DATABASE_DEADLOCK"], serializable: ["E_DATABASE_SERIALIZATION"] },
  });
});
await withServer(mariadbServer, ({ url }) => {
  transferCases("MariaDB", {
    make: () => mariadb({ url, ...timeouts }),
    expectedErrors: { default: ["E_DATABASE_DEADLOCK"], serializable: ["E_DATABASE_DEADLOCK"] },
  });
});
