// Relations to the table of the user service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Configuration, Migration, Schema, User } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { Row } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";

const notes = Table.make("notes", {
  schema: Schema.record({ title: Schema.string() }),
  columns: { owner_id: Row.uuid },
  relations: {
    owner: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
    readers: () => Table.manyToMany(User.table, { through: "note_readers", orderBy: "email" }),
  },
});

test("loads users as relations, without their passwords", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const database = sqlite({ url: "sqlite::memory:" });
  const user = User.service({ database });
  const step = Migration.step("create table notes", (columnTypes) =>
    Table.createStatements(notes, { name: "sqlite", identifierQuote: '"', columnTypes }),
  );
  const migrations = [Migration.make("notes", [step], { after: ["user"] })];
  const migration = Migration.service({ database, migrations, onPending: "run" });
  const app = App.create({ services: [database, migration, user] });
  await app.start({ server: false });
  try {
    const [owner, reader] = [
      await user.createUser({ email: "owner@example.com", password: "correct horse 1" }),
      await user.createUser({ email: "reader@example.com", password: "correct horse 2" }),
    ];
    const note = await notes.insert(database, { title: "n", owner_id: owner.id });
    await notes.links.readers.set(database, note, [reader.id, owner.id]);
    const found = await notes.find(database, note.id, { with: ["owner", "readers"] });
    assert.deepEqual(found.owner, owner);
    assert.deepEqual(found.readers, [owner, reader]);
    await user.delete(owner);
    assert.equal(await notes.count(database), 0);
  } finally {
    await app.stop();
    ConfigurationInternals.reset();
  }
});
