import assert from "node:assert/strict";
import { test } from "node:test";
import { Schema } from "../schema/index.ts";
import { type Database, type Handle, Row, sql } from "../database/index.ts";
import { Table } from "../entry-points/table.ts";

type Equal<A, B> = [A, B] extends [B, A] ? true : false;

const user = {
  name: "user_users",
  row: Row.record({ id: Row.uuid, email: Row.text }),
  relations: {},
  singular: "user",
} as const;
const projects = Table.make("projects", {
  schema: Schema.record({ name: Schema.string() }),
  columns: { owner_id: Row.uuid },
  relations: {
    issues: () => Table.hasMany(issues, { orderBy: { title: "desc" } }),
    owner: () => Table.belongsTo(user),
  },
});
const labels = Table.make("labels", {
  schema: Schema.record({ name: Schema.string() }),
  relations: { issues: () => Table.manyToMany(issues, { through: "issue_labels" }) },
});
const issues = Table.make("issues", {
  schema: Schema.record({
    title: Schema.string(),
    state: Schema.oneOf(["open", "closed"]),
    assignee_id: Schema.optional(Schema.uuid()),
  }),
  columns: { project_id: Row.uuid, main_project_id: Row.nullable(Row.uuid), rank: Row.nullable(Row.int) },
  timestamps: true,
  version: true,
  softDelete: true,
  relations: {
    project: () => Table.belongsTo(projects),
    main: () => Table.belongsTo(projects, { column: "main_project_id" }),
    assignee: () => Table.belongsTo(user, { onDelete: "set null" }),
    labels: () => Table.manyToMany(labels, { through: "issue_labels" }),
    comments: () => Table.hasMany(comments),
    draft: () => Table.hasOne(comments, { column: "issue_id" }),
  },
  unique: [["project_id", "title"]],
  search: { filter: ["title"], sortBy: ["created_at"] },
});
const comments = Table.make("comments", {
  schema: Schema.record({ text: Schema.text() }),
  columns: { issue_id: Row.uuid },
  relations: { issue: () => Table.belongsTo(issues) },
});

interface Issue {
  readonly id: string;
  readonly title: string;
  readonly state: "open" | "closed";
  readonly assignee_id: string | undefined;
  readonly project_id: string;
  readonly main_project_id: string | null;
  readonly rank: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: number;
  readonly deleted_at: Date | null;
}

/** Never called: the type checker checks its body. */
async function types(database: Database, handle: Handle): Promise<void> {
  const isRow: Equal<Table.Infer<typeof issues>, Issue> = true;
  const plain: Equal<Table.Infer<typeof labels>, { readonly id: string; readonly name: string }> = true;
  const issue: Issue = await issues.insert(database, { title: "t", state: "open", project_id: "p" });
  await issues.insert(handle, { title: "t", state: "open", project_id: "p", rank: null, assignee_id: undefined });
  const found = await issues.find(database, issue.id, {
    with: ["labels", "draft", { project: ["owner", { issues: ["comments"] }] }],
    counts: ["comments"],
  });
  const label: string | undefined = found.labels[0]?.name;
  const email: string = found.project.owner.email;
  const text: string | undefined = found.project.issues[0]?.comments[0]?.text;
  const { assignee, main } = await issues.find(database, "i", { with: ["assignee", "main"] });
  const canLack: Equal<typeof assignee, Table.Infer<typeof user> | undefined> = true;
  const canBeNull: Equal<typeof main, Table.Infer<typeof projects> | undefined> = true;
  const { issue: commented } = await comments.find(database, "c", { with: ["issue"] });
  const canBeDeleted: Equal<typeof commented, Issue | undefined> = true;
  const names: readonly string[] = ["labels"];
  const [dynamic] = await issues.collect(database, { with: Table.relationsOf(issues, names) });
  const isOptional: undefined extends NonNullable<typeof dynamic>["labels"] ? true : false = true;
  const dynamicLabel: string | undefined = dynamic?.labels?.[0]?.name;
  const draft: string | undefined = found.draft?.text;
  const count: number = found.comments_count;
  const loaded: Table.Infer<typeof issues, ["labels"]> = await issues.find(database, "i", { with: ["labels"] });
  const rows: readonly Issue[] = await issues.collect(database, {
    where: { state: ["open"], rank: null, assignee_id: "a" },
    orderBy: { created_at: "desc" },
  });
  const [page, total] = await issues.search(database, { filter: "x" }, { with: ["assignee"] });
  const [, uncounted] = await issues.search(database, {}, { total: false });
  const isCounted: Equal<typeof total, number> = true;
  const isUncounted: Equal<typeof uncounted, undefined> = true;
  await issues.update(database, issue, { title: "x", rank: null, assignee_id: null });
  await issues.update(database, { id: "i", version: "any" }, {});
  await issues.upsert(database, { title: "t", state: "open", project_id: "p" }, { on: ["project_id", "title"] });
  await labels.update(database, { id: "l" }, { name: "n" });
  await issues.links.labels.set(database, issue, ["l"]);
  const joined = issues.where(sql`${issues.where({ state: "open" })} or ${issues.where({ rank: [1, 2] })}`);
  void [
    isRow,
    plain,
    label,
    email,
    text,
    canLack,
    canBeNull,
    canBeDeleted,
    isOptional,
    dynamicLabel,
    draft,
    count,
    loaded,
    rows,
    isCounted,
    isUncounted,
    page[0]?.assignee,
    joined,
  ];

  // @ts-expect-error: not loaded
  void (await issues.find(database, "i")).labels;
  // @ts-expect-error: not loaded
  void (await issues.find(database, "i", { with: ["labels"] })).project;
  // @ts-expect-error: not loaded one level deeper
  void (await issues.find(database, "i", { with: ["project"] })).project.owner;
  // @ts-expect-error: the names at run time say if it was loaded
  void (await issues.find(database, "i", { with: Table.relationsOf(issues, names) })).project.id;
  // @ts-expect-error: not loaded by a search
  void (await issues.search(database))[0][0]?.comments;
  // @ts-expect-error: not counted
  void (await issues.find(database, "i", { counts: ["labels"] })).comments_count;
  // @ts-expect-error: no such relation
  await issues.collect(database, { with: ["nothing"] });
  // @ts-expect-error: no such relation one level deeper
  await issues.collect(database, { with: [{ project: ["nothing"] }] });
  // @ts-expect-error: a relation of one row cannot be counted
  await issues.collect(database, { counts: ["project"] });
  // @ts-expect-error: the title is missing
  await issues.insert(database, { state: "open", project_id: "p" });
  // @ts-expect-error: no such state
  await issues.insert(database, { title: "t", state: "lost", project_id: "p" });
  // @ts-expect-error: no such column
  await issues.insert(database, { title: "t", state: "open", project_id: "p", nothing: 1 });
  // @ts-expect-error: the version is missing
  await issues.update(database, { id: "i" }, { title: "x" });
  // @ts-expect-error: a title cannot be NULL
  await issues.update(database, issue, { title: null });
  // @ts-expect-error: the id does not change
  await issues.update(database, issue, { id: "x" });
  // @ts-expect-error: the table sets the timestamps
  await issues.update(database, issue, { updated_at: new Date() });
  // @ts-expect-error: a title is no number
  await issues.collect(database, { where: { title: 1 } });
  // @ts-expect-error: a title is never NULL
  await issues.collect(database, { where: { title: null } });
  // @ts-expect-error: undefined is no condition
  await issues.collect(database, { where: { rank: undefined } });
  // @ts-expect-error: no such column
  await issues.collect(database, { where: { nothing: 1 } });
  // @ts-expect-error: no such column
  await issues.collect(database, { orderBy: "nothing" });
  // @ts-expect-error: no such direction
  await issues.collect(database, { orderBy: { title: "up" } });
  // @ts-expect-error: no such column
  await issues.upsert(database, { title: "t", state: "open", project_id: "p" }, { on: ["nothing"] });
  // @ts-expect-error: a relation without a join table has no links
  void issues.links.comments;
  // @ts-expect-error: rows are read-only
  issue.title = "x";
  // @ts-expect-error: no such column of the target
  void (() => Table.hasMany(comments, { orderBy: "nothing" }));
  // @ts-expect-error: a join table is missing
  void (() => Table.manyToMany(labels, {}));
  const schema = Schema.record({ title: Schema.string() });
  // @ts-expect-error: no such column
  Table.make("t", { schema, unique: [["nothing"]] });
  // @ts-expect-error: no such column
  Table.make("t", { schema, search: { sortBy: ["created_at"] } });
  // @ts-expect-error: no such column
  Table.make("t", { schema, encrypted: { nothing: true } });
}

test("infers rows, values and loaded relations", () => {
  assert.equal(typeof types, "function");
});
