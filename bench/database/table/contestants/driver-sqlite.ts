import { randomUUID } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { lastBefore, lastOfPage1, type Position } from "../data.ts";
import { entryColumns, issueColumns, type NewEntry, type OpenTable, pageSize } from "./contestant.ts";
import { assigneesOf, combine, type Item } from "./driver.ts";

/** `2026-01-31 12:00:00.000` */
const text = (date: Date): string => date.toISOString().replace("T", " ").slice(0, 23);

/** Opens the database of Node and prepares all statements. */
export const open: OpenTable = (url) => {
  const database = new DatabaseSync(url, { timeout: 10_000 });
  const find = database.prepare(`select ${issueColumns} from issues where id = ?`);
  const insert = database.prepare(
    `insert into entries (${entryColumns}) values (?, ?, ?, ?, ?) returning ${entryColumns}`,
  );
  const insertOnly = database.prepare(`insert into entries (${entryColumns}) values (?, ?, ?, ?, ?)`);
  const update = database.prepare(`update issues set title = ? where id = ? returning ${issueColumns}`);
  const issuesStatement = database.prepare(`select ${issueColumns} from issues order by id`);
  const people = database.prepare("select id, email from people where id in (select value from json_each(?))");
  const labels = database.prepare(
    `select issue_labels.issue_id, labels.id, labels.name from issue_labels join labels on labels.id = issue_labels.label_id
      where issue_labels.issue_id in (select value from json_each(?)) order by labels.id`,
  );
  const page = `select ${entryColumns} from records where state = ?`;
  const order = `order by created_at desc, id desc limit ${pageSize}`;
  const first = database.prepare(`${page} ${order}`);
  const after = database.prepare(`${page} and (created_at, id) < (?, ?) ${order}`);
  const pageAfter = ({ created_at, id }: Position): unknown => after.all("open", text(created_at), id);
  return Promise.resolve({
    find: (id) => find.get(id),
    insert: ({ title, state, number, created_at }) => insert.get(randomUUID(), title, state, number, text(created_at)),
    update: (id, title) => update.get(title, id),
    with: () => {
      const issues = collect(issuesStatement);
      return combine(
        issues,
        collect(people, JSON.stringify(assigneesOf(issues))),
        collect(labels, JSON.stringify(issues.map(({ id }) => id))),
      );
    },
    insertAll: (entries) => insertAll(database, insertOnly, entries),
    page1: () => first.all("open"),
    page2: () => pageAfter(lastOfPage1),
    page10000: () => pageAfter(lastBefore),
    close: () => database.close(),
  });
};

const collect = (statement: StatementSync, ...values: readonly string[]): readonly Item[] =>
  statement.all(...values) as unknown as readonly Item[];

/** One prepared statement in a loop, in a transaction. */
function insertAll(database: DatabaseSync, statement: StatementSync, entries: readonly NewEntry[]): unknown {
  const rows = entries.map((entry) => ({ id: randomUUID(), ...entry }));
  database.exec("begin immediate");
  for (const { id, title, state, number, created_at } of rows)
    statement.run(id, title, state, number, text(created_at));
  database.exec("commit");
  return rows;
}
