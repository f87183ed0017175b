import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { Database } from "@adonisjs/lucid/database";
import { Adapter, BaseModel, belongsTo, column, manyToMany } from "@adonisjs/lucid/orm";
import type { BelongsTo, ManyToMany } from "@adonisjs/lucid/types/relations";
import { lastBefore } from "../data.ts";
import { type OpenTable, pageSize } from "./contestant.ts";

class Person extends BaseModel {
  static override table = "people";
  declare id: string;
  declare email: string;
}
column({ isPrimary: true })(Person.prototype, "id");
column()(Person.prototype, "email");

class Label extends BaseModel {
  static override table = "labels";
  declare id: string;
  declare name: string;
}
column({ isPrimary: true })(Label.prototype, "id");
column()(Label.prototype, "name");

class Item extends BaseModel {
  static override selfAssignPrimaryKey = true;
  declare id: string;
  declare title: string;
  declare state: string;
  declare number: number;
  declare created_at: Date;
}
column({ isPrimary: true })(Item.prototype, "id");
column()(Item.prototype, "title");
column()(Item.prototype, "state");
column()(Item.prototype, "number");
// A Date, which costs less than the DateTime of `column.dateTime`.
column({ columnName: "created_at" })(Item.prototype, "created_at");

class Issue extends Item {
  static override table = "issues";
  declare assignee_id: string | null;
  declare assignee: BelongsTo<typeof Person>;
  declare labels: ManyToMany<typeof Label>;
}
column({ columnName: "assignee_id" })(Issue.prototype, "assignee_id");
belongsTo(() => Person, { foreignKey: "assignee_id" })(Issue.prototype, "assignee");
manyToMany(() => Label, {
  pivotTable: "issue_labels",
  pivotForeignKey: "issue_id",
  pivotRelatedForeignKey: "label_id",
})(Issue.prototype, "labels");

class Entry extends Item {
  static override table = "entries";
}

class StoredRecord extends Item {
  static override table = "records";
}

/** Query of a relation, whose own type is `never` for models whose decorators are called as functions. */
interface Ordered {
  readonly orderBy: (column: string) => unknown;
}

const silent = new Proxy({}, { get: () => () => undefined });

/** Opens Lucid without the rest of AdonisJS, which does not run while it is measured. */
export const open: OpenTable = (connection) => {
  const emitter = Object.assign(new EventEmitter(), { hasListeners: () => false });
  const db = new Database(
    { connection: "postgres", connections: { postgres: { client: "pg", connection } } },
    silent as never,
    emitter as never,
  );
  BaseModel.$adapter = new Adapter(db);
  const page = (): ReturnType<typeof StoredRecord.query> =>
    StoredRecord.query().where("state", "open").orderBy("created_at", "desc").orderBy("id", "desc").limit(pageSize);
  return Promise.resolve({
    find: (id) => Issue.find(id),
    insert: (entry) => Entry.create({ id: randomUUID(), ...entry }),
    update: async (id, title) => {
      const issue = await Issue.findOrFail(id);
      return issue.merge({ title }).save();
    },
    with: () =>
      Issue.query()
        .orderBy("id")
        .preload("assignee")
        .preload("labels", (labels) => void (labels as unknown as Ordered).orderBy("labels.id")),
    // `Entry.createMany` sends one statement per row. The query builder's `multiInsert` sends one for all.
    insertAll: async (values) => {
      const rows = values.map((entry) => ({ id: randomUUID(), ...entry }));
      await db.table("entries").multiInsert(rows);
      return rows;
    },
    page1: () => page(),
    page10000: () => page().whereRaw("(created_at, id) < (?, ?)", [lastBefore.created_at as never, lastBefore.id]),
    close: () => db.manager.closeAll(),
  });
};
