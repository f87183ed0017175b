import { randomUUID } from "node:crypto";
import { and, desc, eq, lt, or, relations, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { Pool } from "pg";
import { lastBefore } from "../data.ts";
import { type OpenTable, pageSize } from "./contestant.ts";

const columns = {
  id: uuid()
    .primaryKey()
    .$defaultFn(() => randomUUID()),
  title: text().notNull(),
  state: text({ enum: ["open", "closed"] }).notNull(),
  number: integer().notNull(),
  created_at: timestamp({ withTimezone: true }).notNull(),
};
const people = pgTable("people", { id: uuid().primaryKey(), email: text().notNull() });
const labels = pgTable("labels", { id: uuid().primaryKey(), name: text().notNull() });
const issues = pgTable("issues", { ...columns, assignee_id: uuid() });
const issueLabels = pgTable("issue_labels", { issue_id: uuid().notNull(), label_id: uuid().notNull() });
const entries = pgTable("entries", columns);
const records = pgTable("records", columns);
const issueRelations = relations(issues, ({ one, many }) => ({
  assignee: one(people, { fields: [issues.assignee_id], references: [people.id] }),
  labels: many(issueLabels),
}));
const issueLabelRelations = relations(issueLabels, ({ one }) => ({
  issue: one(issues, { fields: [issueLabels.issue_id], references: [issues.id] }),
  label: one(labels, { fields: [issueLabels.label_id], references: [labels.id] }),
}));
const schema = { people, labels, issues, issueLabels, entries, records, issueRelations, issueLabelRelations };

/** Opens Drizzle with prepared statements, as its page on performance recommends. */
export const open: OpenTable = (connectionString) => {
  const pool = new Pool({ connectionString, max: 10 });
  const db = drizzle({ client: pool, schema });
  const [id, title] = [sql.placeholder("id"), sql.placeholder("title")];
  const find = db.select().from(issues).where(eq(issues.id, id)).prepare("find");
  const insert = db
    .insert(entries)
    .values({
      // A prepared statement would bind the default of the column once, when it is prepared.
      id,
      title,
      state: sql.placeholder("state"),
      number: sql.placeholder("number"),
      created_at: sql.placeholder("created_at"),
    })
    .returning()
    .prepare("insert");
  // `set` takes no placeholder without SQL.
  const update = db
    .update(issues)
    .set({ title: sql`${title}` })
    .where(eq(issues.id, id))
    .returning()
    .prepare("update");
  const withRelations = db.query.issues
    .findMany({
      orderBy: (issue, { asc }) => asc(issue.id),
      with: { assignee: true, labels: { columns: {}, with: { label: true } } },
    })
    .prepare("with");
  const order = [desc(records.created_at), desc(records.id)] as const;
  const isOpen = eq(records.state, "open");
  const page1 = db
    .select()
    .from(records)
    .where(isOpen)
    .orderBy(...order)
    .limit(pageSize)
    .prepare("page1");
  const isAfter = or(
    lt(records.created_at, sql.placeholder("created_at")),
    and(eq(records.created_at, sql.placeholder("created_at")), lt(records.id, id)),
  );
  const page = db
    .select()
    .from(records)
    .where(and(isOpen, isAfter))
    .orderBy(...order)
    .limit(pageSize)
    .prepare("page");
  return Promise.resolve({
    find: async (issueId) => (await find.execute({ id: issueId }))[0],
    insert: async (entry) => (await insert.execute({ id: randomUUID(), ...entry }))[0],
    update: async (issueId, newTitle) => (await update.execute({ id: issueId, title: newTitle }))[0],
    with: async () =>
      (await withRelations.execute()).map((issue) => ({ ...issue, labels: issue.labels.map(({ label }) => label) })),
    insertAll: (values) => db.insert(entries).values([...values]),
    page1: () => page1.execute(),
    page10000: () => page.execute({ ...lastBefore }),
    close: () => pool.end(),
  });
};
