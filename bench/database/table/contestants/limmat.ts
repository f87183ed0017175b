import { Schema } from "limmat";
import { type Database, type DatabaseOptions, Row } from "limmat/database";
import { Table } from "limmat/table";
import type { Engine } from "../../data.ts";
import { deepOffset } from "../data.ts";
import { type OpenTable, pageSize } from "./contestant.ts";

const fields = {
  title: Schema.string({ max: 200 }),
  state: Schema.oneOf(["open", "closed"]),
  number: Schema.int(),
};
const people = Table.make("people", { schema: Schema.record({ email: Schema.string() }), singular: "person" });
const labels = Table.make("labels", { schema: Schema.record({ name: Schema.string() }) });
const issues = Table.make("issues", {
  schema: Schema.record({ ...fields, assignee_id: Schema.optional(Schema.uuid()) }),
  columns: { created_at: Row.timestamp },
  relations: {
    assignee: () => Table.belongsTo(people),
    labels: () => Table.manyToMany(labels, { through: "issue_labels" }),
  },
});
const entries = Table.make("entries", { schema: Schema.record(fields), columns: { created_at: Row.timestamp } });
const records = Table.make("records", {
  schema: Schema.record(fields),
  columns: { created_at: Row.timestamp },
  search: { filterBy: ["state"], sortBy: ["created_at"] },
});

const services: Readonly<Record<Engine, (options: DatabaseOptions) => Promise<Database>>> = {
  postgresql: async (options) => (await import("limmat/database/postgresql")).postgresql(options),
  mariadb: async (options) => (await import("limmat/database/mariadb")).mariadb(options),
  sqlite: async (options) => (await import("limmat/database/sqlite")).sqlite(options),
};

/** Tables of limmat, and its database services with their defaults. */
export const open: OpenTable = async (url, engine) => {
  const database = await services[engine]({ url });
  await database.start({ services: [] });
  const list = { filterBy: { state: "open" }, sort: "desc", limit: pageSize } as const;
  const [, , { next }] = await records.searchPage(
    database,
    { ...list, offset: deepOffset - pageSize },
    { total: false },
  );
  if (next === undefined) throw new Error("The list ends too early");
  const [, , { next: second }] = await records.searchPage(database, list, { total: false });
  const page = async (after?: string): Promise<unknown> => {
    const [items] = await records.searchPage(database, { ...list, after }, { total: false });
    return items;
  };
  return {
    find: (id) => issues.find(database, id),
    insert: (entry) => entries.insert(database, entry),
    update: (id, title) => issues.update(database, { id }, { title }),
    with: () => issues.collect(database, { with: ["assignee", "labels"] }),
    insertAll: (values) => entries.insertAll(database, values),
    page1: () => page(),
    page2: () => page(second),
    page10000: () => page(next),
    close: () => database.stop?.(),
  };
};
