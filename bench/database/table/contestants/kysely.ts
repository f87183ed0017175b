import { randomUUID } from "node:crypto";
import { Kysely, PostgresDialect } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";
import { Pool } from "pg";
import { lastBefore } from "../data.ts";
import { type NewEntry, type OpenTable, pageSize } from "./contestant.ts";

interface Entry extends NewEntry {
  readonly id: string;
}

interface Tables {
  readonly people: { readonly id: string; readonly email: string };
  readonly labels: { readonly id: string; readonly name: string };
  readonly issue_labels: { readonly issue_id: string; readonly label_id: string };
  readonly issues: Entry & { readonly assignee_id: string | null };
  readonly entries: Entry;
  readonly records: Entry;
}

const columns = ["id", "title", "state", "number", "created_at"] as const;
const issueColumns = ["id", "title", "state", "number", "assignee_id", "created_at"] as const;

/** Opens Kysely with its own dialect for PostgreSQL. Relations are loaded as its recipe "Relations" does. */
export const open: OpenTable = (connectionString) => {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 10 }) }),
  });
  const page = db
    .selectFrom("records")
    .select(columns)
    .where("state", "=", "open")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(pageSize);
  const { created_at, id: lastId } = lastBefore;
  return Promise.resolve({
    find: (id) => db.selectFrom("issues").select(issueColumns).where("id", "=", id).executeTakeFirst(),
    insert: (entry) =>
      db
        .insertInto("entries")
        .values({ id: randomUUID(), ...entry })
        .returning(columns)
        .executeTakeFirst(),
    update: (id, title) =>
      db.updateTable("issues").set({ title }).where("id", "=", id).returning(issueColumns).executeTakeFirst(),
    with: () =>
      db
        .selectFrom("issues")
        .select(issueColumns)
        .select((issue) => [
          jsonObjectFrom(
            issue.selectFrom("people").select(["id", "email"]).whereRef("people.id", "=", "issues.assignee_id"),
          ).as("assignee"),
          jsonArrayFrom(
            issue
              .selectFrom("issue_labels")
              .innerJoin("labels", "labels.id", "issue_labels.label_id")
              .select(["labels.id", "labels.name"])
              .whereRef("issue_labels.issue_id", "=", "issues.id")
              .orderBy("labels.id"),
          ).as("labels"),
        ])
        .orderBy("id")
        .execute(),
    insertAll: async (entries) => {
      const rows = entries.map((entry) => ({ id: randomUUID(), ...entry }));
      await db.insertInto("entries").values(rows).execute();
      return rows;
    },
    page1: () => page.execute(),
    page10000: () =>
      page
        .where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(created_at, lastId)))
        .execute(),
    close: () => db.destroy(),
  });
};
