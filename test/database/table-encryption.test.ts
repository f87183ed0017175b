// Encrypted columns of `Table`: storage, blind indexes, rotation of the key and tampering, on all databases.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Configuration, Random, Schema } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql, type Statement } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const patients = Table.make("patients", {
  schema: Schema.record({
    name: Schema.string(),
    ssn: Schema.optional(Schema.string({ max: 20 })),
    weight: Schema.float(),
    smokes: Schema.bool(),
    born: Schema.date(),
    seen: Schema.datetime(),
    visits: Schema.int(),
    notes: Schema.list(Schema.record({ text: Schema.string(), at: Schema.datetime() })),
  }),
  version: true,
  encrypted: {
    ssn: { blindIndex: true },
    weight: true,
    smokes: true,
    born: { blindIndex: true },
    seen: true,
    visits: { blindIndex: true },
    notes: true,
  },
  unique: [["ssn"]],
});

const value = {
  name: "n",
  ssn: "123-45-6789",
  weight: 70.25,
  smokes: false,
  born: "1980-02-29",
  seen: new Date("2026-01-02T03:04:05.678Z"),
  visits: 12,
  notes: [{ text: 'a "note"\n😀', at: new Date("2026-01-01T00:00:00.000Z") }],
};

const storedRow = Row.record({
  id: Row.uuid,
  ssn: Row.nullable(Row.text),
  ssn_index: Row.nullable(Row.text),
  born: Row.text,
});
const stored = (database: Database): Promise<readonly Row.Infer<typeof storedRow>[]> =>
  database.collect(sql.row(storedRow)`select id, ssn, ssn_index, born from patients order by name`);
const rawStatement = (text: string): Statement<unknown> => sql(Object.assign([text], { raw: [text] }));
const secrets = { a: "a".repeat(31) + "1", b: "b".repeat(31) + "2" };

function encryptionCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      for (const statement of Table.createStatements(patients, database.dialect())) {
        await database.exec(rawStatement(statement));
      }
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    const useSecrets = (current: string, ...old: readonly string[]): void => {
      Configuration.store([
        ["FRAMEWORK_SECRET", current],
        ["FRAMEWORK_SECRET_OLD", old.join()],
      ]);
    };
    beforeEach(() => useSecrets(secrets.a));
    afterEach(() => database.exec(sql`delete from patients`));

    test("returns what was stored, by every operation", async () => {
      const inserted = await patients.insert(database, value);
      const { id, version, ...others } = inserted;
      assert.deepEqual({ ...others, version }, { ...value, version: 1 });
      assert.deepEqual(await patients.find(database, id), inserted);
      const changed = await patients.update(database, inserted, { ssn: "9", notes: [], visits: 13 });
      assert.deepEqual(changed, { ...inserted, ssn: "9", notes: [], visits: 13, version: 2 });
      const [bulk] = await patients.insertAll(database, [{ ...value, ssn: null }]);
      assert.equal(bulk?.ssn, undefined);
      assert.deepEqual(await patients.find(database, bulk!.id), bulk);
      const read = await database.collect(sql.row(patients.row)`select ${sql.columns(patients.row)} from patients`);
      assert.deepEqual(new Set(read.map(({ ssn }) => ssn)), new Set(["9", undefined]));
    });

    test("stores no plaintext, and equal values differently", async () => {
      await patients.insertAll(database, [value, { ...value, ssn: "2" }]);
      const rows = await stored(database);
      const all = JSON.stringify(rows);
      for (const text of ["123-45-6789", "1980-02-29"]) assert.ok(!all.includes(text));
      assert.notEqual(rows[0]?.born, rows[1]?.born);
    });

    test("finds rows by blind index only", async () => {
      const patient = await patients.insert(database, value);
      assert.deepEqual(await patients.find(database, { ssn: value.ssn, born: value.born }), patient);
      assert.deepEqual(await patients.find(database, { ssn: ["x", value.ssn], visits: 12 }), patient);
      assert.equal(await patients.findOpt(database, { ssn: "123-45-678" }), undefined);
      assert.equal(await patients.count(database, { ssn: null }), 0);
      await assert.rejects(patients.findOpt(database, { weight: 70.25 }), { code: "E_TABLE" });
      await assert.rejects(patients.collect(database, { orderBy: "ssn" }), { code: "E_TABLE" });
      await assert.rejects(patients.insert(database, value), { code: "E_DATABASE_UNIQUE" });
    });

    test("updates an existing row with ciphertexts of its own id", async () => {
      const on = ["ssn"] as const;
      const first = await patients.upsert(database, value, { on });
      const second = await patients.upsert(database, { ...value, visits: 99, born: "1990-01-01" }, { on });
      assert.deepEqual([second.id, second.visits, second.born, second.version], [first.id, 99, "1990-01-01", 2]);
      assert.deepEqual(await patients.find(database, { ssn: value.ssn, visits: 99 }), second);
    });

    test("refuses values that were changed, or moved to another row or column", async () => {
      const [one, two] = await patients.insertAll(database, [value, { ...value, name: "o", ssn: "2" }]);
      const rows = await stored(database);
      const cases = [
        sql`update patients set born = ${rows[1]!.born} where id = ${one!.id}`,
        sql`update patients set born = ${rows[0]!.ssn} where id = ${one!.id}`,
        sql`update patients set born = ${rows[0]!.born.slice(0, -1)} where id = ${one!.id}`,
        sql`update patients set born = ${`${rows[0]!.born.slice(0, -4)}AAAA`} where id = ${one!.id}`,
        sql`update patients set born = ${"1980-02-29"} where id = ${one!.id}`,
        sql`update patients set born = ${"1..."} where id = ${one!.id}`,
      ];
      for (const statement of cases) {
        await database.exec(statement);
        await assert.rejects(patients.find(database, one!.id), { code: "E_TABLE_DECRYPT" });
      }
      assert.equal((await patients.find(database, two!.id)).born, value.born);
    });

    test("reads and finds values of an old key, and encrypts them again", async () => {
      const rows = await patients.insertAll(
        database,
        Array.from({ length: 1200 }, (_, index) => ({ ...value, name: String(index), ssn: String(index) })),
      );
      useSecrets(secrets.b, secrets.a);
      const fresh = await patients.insert(database, { ...value, ssn: "fresh" });
      assert.deepEqual(await patients.find(database, { ssn: "7" }), rows[7]);
      assert.deepEqual(await Table.reencrypt(database, patients), { changedCount: 1200, duplicateIds: [] });
      assert.deepEqual(await Table.reencrypt(database, patients), { changedCount: 0, duplicateIds: [] });
      useSecrets(secrets.b);
      assert.deepEqual(await patients.find(database, { ssn: "7" }), rows[7]);
      assert.deepEqual(await patients.find(database, fresh.id), fresh);
      useSecrets(secrets.a);
      await assert.rejects(patients.find(database, fresh.id), { code: "E_TABLE_DECRYPT" });
      assert.equal(await patients.findOpt(database, { id: Random.uuid() }), undefined);
    });

    test("reports rows that equal one of the new key, and encrypts the others again", async () => {
      const rows = await patients.insertAll(
        database,
        ["1", "2", "3"].map((ssn) => ({ ...value, ssn })),
      );
      useSecrets(secrets.b, secrets.a);
      // The unique blind index does not see that the value equals one of the old key.
      const same = await patients.insert(database, { ...value, ssn: "2" });
      const duplicate = rows[1]!;
      const expected = { changedCount: 2, duplicateIds: [duplicate.id] };
      assert.deepEqual(await Table.reencrypt(database, patients), expected);
      assert.deepEqual(await Table.reencrypt(database, patients), { ...expected, changedCount: 0 });
      await patients.delete(database, same);
      assert.deepEqual(await Table.reencrypt(database, patients), { changedCount: 1, duplicateIds: [] });
      useSecrets(secrets.b);
      assert.deepEqual(await patients.find(database, { ssn: "2" }), duplicate);
    });
  });
}

encryptionCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => encryptionCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => encryptionCases("MariaDB", mariadb({ url })));
