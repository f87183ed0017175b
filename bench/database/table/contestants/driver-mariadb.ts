import { randomUUID } from "node:crypto";
import * as mariadb from "mariadb";
import { lastBefore, lastOfPage1, type Position } from "../data.ts";
import { entryColumns, issueColumns, type NewEntry, type OpenTable, pageSize } from "./contestant.ts";
import { assigneesOf, combine, type Item } from "./driver.ts";

const keys = "select cast(id as uuid) from json_table(?, '$[*]' columns (id char(36) path '$')) as item";

/** Opens one connection, which pipelines, and prepares its statements. */
export const open: OpenTable = async (url) => {
  const connection = await mariadb.createConnection(url);
  const collect = (text: string, values: readonly unknown[] = []): Promise<Item[]> =>
    connection.execute<Item[]>(text, values);
  const find = async (id: string): Promise<unknown> =>
    (await collect(`select ${issueColumns} from issues where id = ?`, [id]))[0];
  const page = `select ${entryColumns} from records where state = ?`;
  const order = `order by created_at desc, id desc limit ${pageSize}`;
  const after = `${page} and created_at <= ? and (created_at < ? or id < ?) ${order}`;
  const pageAfter = ({ created_at, id }: Position): Promise<unknown> =>
    collect(after, ["open", created_at, created_at, id]);
  return {
    find,
    insert: async ({ title, state, number, created_at }) =>
      (
        await collect(`insert into entries (${entryColumns}) values (?, ?, ?, ?, ?) returning ${entryColumns}`, [
          randomUUID(),
          title,
          state,
          number,
          created_at,
        ])
      )[0],
    // MariaDB has no `update … returning`. The connection sends both statements at once.
    update: async (id, title) => {
      const updated = collect("update issues set title = ? where id = ?", [title, id]);
      const found = find(id);
      await updated;
      return found;
    },
    with: async () => {
      const issues = await collect(`select ${issueColumns} from issues order by id`);
      const [people, labels] = await Promise.all([
        collect(`select id, email from people where id in (${keys})`, [JSON.stringify(assigneesOf(issues))]),
        collect(
          `select issue_labels.issue_id, labels.id, labels.name from issue_labels join labels on labels.id = issue_labels.label_id
            where issue_labels.issue_id in (${keys}) order by labels.id`,
          [JSON.stringify(issues.map(({ id }) => id))],
        ),
      ]);
      return combine(issues, people, labels);
    },
    insertAll: (entries) => insertAll(connection, entries),
    page1: () => collect(`${page} ${order}`, ["open"]),
    page2: () => pageAfter(lastOfPage1),
    page10000: () => pageAfter(lastBefore),
    close: () => connection.end(),
  };
};

const row = "(?, ?, ?, ?, ?)";
let insertText = { count: 0, text: "" };

/** One statement with all values, which the client writes into its text: a twentieth of the CPU time of `batch`. */
async function insertAll(connection: mariadb.Connection, entries: readonly NewEntry[]): Promise<unknown> {
  if (insertText.count !== entries.length) {
    const values = Array.from(entries, () => row).join(", ");
    insertText = { count: entries.length, text: `insert into entries (${entryColumns}) values ${values}` };
  }
  const rows = entries.map((entry) => ({ id: randomUUID(), ...entry }));
  await connection.query(
    insertText.text,
    rows.flatMap(({ id, title, state, number, created_at }) => [id, title, state, number, created_at]),
  );
  return rows;
}
