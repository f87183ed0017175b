// Fifty clerks book two hundred transfers each, between few accounts, half of them in the opposite order.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Configuration, isError, Migration } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer, query } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const clerks = 50;
const transfers = 200;
/** How many accounts there are: few enough for collisions, and not so few that all time is spent on them. */
const accountsAt = { default: 20, serializable: 60 };

const migrations = [
  Migration.make("bank", [
    Migration.step("accounts", ({ int }) => `create table accounts (id ${int} primary key, balance ${int} not null)`),
  ]),
];

const balanceOf = (id: number) => sql.value(Row.int)`select balance from accounts where id = ${id}`;
const add = (id: number, amount: number) => sql`update accounts set balance = balance + ${amount} where id = ${id}`;
const set = (id: number, balance: number) => sql`update accounts set balance = ${balance} where id = ${id}`;

/** How a transfer is booked at an isolation level: by adding, or by writing what was read and calculated. */
const bookings = {
  default: async (database: Database, from: number, to: number): Promise<void> => {
    await database.exec(add(from, -1));
    await database.exec(add(to, 1));
  },
  serializable: async (database: Database, from: number, to: number): Promise<void> => {
    await database.exec(set(from, (await database.find(balanceOf(from))) - 1));
    await database.exec(set(to, (await database.find(balanceOf(to))) + 1));
  },
};

interface Bank {
  /** Makes a service on the same database; started and stopped by the cases. */
  readonly make: () => Database;
  readonly prepare?: () => Promise<void>;
  /** The failures that must have happened, for a level to have been tried at all. */
  readonly collisions: Readonly<Record<keyof typeof bookings, readonly string[]>>;
}

function transferCases(name: string, { make, prepare, collisions }: Bank): void {
  describe(name, () => {
    // Two services, so that two writers meet on SQLite too.
    const offices = [make(), make()] as const;
    const [database] = offices;
    before(async () => {
      Configuration.store([["DATABASE_POOL_SIZE", "4"]]);
      await prepare?.();
      for (const office of offices) await office.start({ services: [office] });
      const migration = Migration.service({ database, migrations, onPending: "run" });
      await migration.start({ services: [database, migration] });
    });
    after(async () => {
      for (const office of offices) await office.stop();
      Configuration.reset();
    });
    const open = async (accounts: number): Promise<void> => {
      await database.exec(sql`delete from accounts`);
      for (let id = 0; id < accounts; id++) await database.exec(sql`insert into accounts values (${id}, ${1000})`);
    };

    for (const level of ["default", "serializable"] as const) {
      test(`ten thousand transfers in opposite orders keep the sum, with retry: ${level} level`, async (t) => {
        const accounts = accountsAt[level];
        await open(accounts);
        const options = level === "default" ? { retry: 100 } : { retry: 100, isolation: level };
        const failures = new Map<string, number>();
        let mostAttempts = 0;
        const expected = Array.from({ length: accounts }, () => 1000);
        const clerk = async (number: number): Promise<void> => {
          const office = offices[number % 2] as Database;
          for (let transfer = 0; transfer < transfers; transfer++) {
            const low = (number * 7 + transfer) % accounts;
            const high = (low + 1 + ((number + transfer * 3) % (accounts - 1))) % accounts;
            const [from, to] = (number + transfer) % 2 === 0 ? [low, high] : [high, low];
            let attempts = 0;
            const book = async (): Promise<void> => {
              attempts += 1;
              try {
                await bookings[level](office, from, to);
              } catch (error) {
                const code = isError(error) ? error.code : String(error);
                failures.set(code, (failures.get(code) ?? 0) + 1);
                throw error;
              }
            };
            await office.transaction(book, options);
            mostAttempts = Math.max(mostAttempts, attempts);
            expected[from] = (expected[from] ?? 0) - 1;
            expected[to] = (expected[to] ?? 0) + 1;
          }
        };
        await Promise.all(Array.from({ length: clerks }, (_, number) => clerk(number)));
        t.diagnostic(`${JSON.stringify(Object.fromEntries(failures))}, at most ${mostAttempts} attempts`);

        const balances = await database.collect(sql.value(Row.int)`select balance from accounts order by id`);
        assert.equal(
          balances.reduce((sum, balance) => sum + balance, 0),
          accounts * 1000,
        );
        assert.deepEqual(balances, expected, "each transfer was booked once");
        for (const code of collisions[level]) assert.ok((failures.get(code) ?? 0) > 0, `${code} never happened`);
        for (const office of offices) assert.deepEqual([office.counts().lent, office.counts().waiting], [0, 0]);
      });
    }
  });
}

const patience = { acquireTimeout: 60_000, lockTimeout: 30_000 };

const folder = mkdtempSync(join(tmpdir(), "limmat-transfers-"));
after(() => rmSync(folder, { recursive: true, force: true }));
transferCases("SQLite", {
  make: () => sqlite({ url: join(folder, "bank.sqlite"), synchronous: "normal", ...patience }),
  collisions: { default: [], serializable: [] },
});
await withServer(postgresqlServer, ({ url }) => {
  transferCases("PostgreSQL", {
    make: () => postgresql({ url, ...patience }),
    // Deadlocks are looked for after a time that is long for tests that make many; what the disk has does not matter here.
    prepare: async () => {
      const name = new URL(url).pathname.slice(1);
      for (const setting of ["deadlock_timeout = '20ms'", "synchronous_commit = off"]) {
        await query(url, `alter database ${name} set ${setting}`);
      }
    },
    collisions: { default: ["E_DATABASE_DEADLOCK"], serializable: ["E_DATABASE_SERIALIZATION"] },
  });
});
await withServer(mariadbServer, ({ url }) => {
  transferCases("MariaDB", {
    make: () => mariadb({ url, ...patience }),
    collisions: { default: ["E_DATABASE_DEADLOCK"], serializable: ["E_DATABASE_DEADLOCK"] },
  });
});
