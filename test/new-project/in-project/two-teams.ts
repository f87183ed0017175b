// Two teams with rows in every table, and what the database contains. It runs in the project.
import type { Result } from "limmat";
import { Row, sql } from "limmat/database";
import { visitor } from "limmat/testing";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Diary from "../app/domain/diary/diary.ts";
import { setPhoto as setDiaryPhoto } from "../app/domain/diary/photo.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { setPhoto as setIssuePhoto } from "../app/domain/issue/photo.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Loan from "../app/domain/loan/loan.ts";
import * as Members from "../app/domain/project/members.ts";
import { setPhoto as setProjectPhoto } from "../app/domain/project/photo.ts";
import * as Project from "../app/domain/project/project.ts";
import { projectMembers } from "../app/domain/project/repository.ts";
import * as Sticker from "../app/domain/sticker/sticker.ts";
import { app } from "../run/run.ts";
import { database, token, user } from "../service/service.ts";

/** Somebody who is logged in, and has a token. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
  readonly csrf: string;
  readonly token: string;
}

const password = "a meadow of cats";

/** Stores a user with a confirmed address, who logs in and makes a token. */
export async function makePerson(email: string): Promise<Person> {
  const { id } = await user.createUser({ email, password, name: email });
  await user.confirm({ id });
  const device = visitor(app);
  await device.get("/login");
  await device.post("/login", { email, password });
  const { body } = await device.get("/projects/new");
  return {
    id,
    email,
    cookie: [...device.cookies].map((pair) => pair.join("=")).join("; "),
    csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? "",
    token: await token.create({}, { purpose: "api", owner: id }),
  };
}

const value = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const gif = (word: string): Buffer => Buffer.from(`GIF89a${word}`);

/** Stores a team with two members and a pending one, and two rows of each model. All texts contain `word`. */
export async function makeTeam(word: string, [admin, ...others]: readonly [Person, ...Person[]]): Promise<string> {
  const ctx = [["user_id", admin.id]] as const;
  await invite(word, admin, others[0] ?? admin);
  const project = value(await Project.insert({ name: `${word} project`, summary: word }, { ctx }));
  const inProject = { ctx, params: { project: project.id } };
  for (const { id } of others) {
    await projectMembers.insert(database, { project_id: project.id, user_id: id, role: "member" });
  }
  value(await Members.insert({ email: `${word}-guest@example.com`, role: "member" }, inProject));
  await setProjectPhoto(project, gif(`${word} project`), "image/gif", { ctx });
  const userIds = [admin.id, ...others.map(({ id }) => id)];
  let former: { readonly issue?: string; readonly comment?: string } = {};
  for (const number of [1, 2]) {
    const text = `${word} ${number}`;
    const label = value(await Label.insert({ name: text }, inProject));
    const issue = value(
      await Issue.insert(
        {
          title: text,
          state: "open",
          due_on: "2026-01-31",
          estimate: "12.50",
          extra: { word },
          reference: undefined,
          urgent: true,
          at: new Date("2026-01-31T12:30:00Z"),
          assignee_id: admin.id,
          watcher_ids: userIds,
          label_id: label.id,
          label_ids: [label.id],
          duplicate_id: former.issue,
          number,
        },
        inProject,
      ),
    );
    await setIssuePhoto(issue, gif(text), "image/gif", { ctx });
    const inIssue = { ctx, params: { issue: issue.id } };
    const input = { text, author_id: admin.id, reader_ids: userIds };
    const comment = value(await Comment.insert({ ...input, reply_id: undefined }, inIssue));
    value(await Comment.insert({ ...input, reply_id: comment.id }, inIssue));
    former = { issue: issue.id };
  }
  const diary = value(await Diary.insert({ text: word }, { ctx }));
  await setDiaryPhoto(diary, gif(`${word} diary`), "image/gif", { ctx });
  return project.id;
}

/** Stores a team of a host, who invites somebody. */
async function invite(word: string, { email }: Person, host: Person): Promise<void> {
  const ctx = [["user_id", host.id]] as const;
  const project = value(await Project.insert({ name: `${word} club`, summary: word }, { ctx }));
  value(await Members.insert({ email, role: "member" }, { ctx, params: { project: project.id } }));
}

/** Stores entries that everybody sees: all users, and all clients with a token. */
export async function makePublicRows(word: string, { id }: Person): Promise<void> {
  value(await Loan.insert({ thing: word, borrower_id: id }, { ctx: [["user_id", id]] }));
  value(await Sticker.insert({ name: word }));
}

/** Returns the rows of all tables, each as one text that begins with its table. */
export async function allRows(): Promise<ReadonlySet<string>> {
  const rows = new Set<string>();
  for (const table of await tableNames()) {
    for (const row of await database.collect(sql`select * from ${sql.identifier(table, [table])}`)) {
      rows.add(`${table} ${JSON.stringify(row, (_, content: unknown) => readable(content))}`);
    }
  }
  return rows;
}

/** Returns a value of a column for `JSON.stringify`. Bytes are read as Latin-1. */
function readable(content: unknown): unknown {
  if (typeof content === "bigint") return String(content);
  const isBuffer = typeof content === "object" && content !== null && "type" in content && content.type === "Buffer";
  if (isBuffer && "data" in content) return Buffer.from(content.data as number[]).toString("latin1");
  return content instanceof Uint8Array ? Buffer.from(content).toString("latin1") : content;
}

let names: readonly string[] | undefined;
const tableNames = async (): Promise<readonly string[]> => (names ??= await database.collect(tables));
const tables = sql.value(Row.text)`${sql.dialect({
  sqlite: sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
  postgresql: sql`select table_name from information_schema.tables where table_schema = current_schema()`,
  mariadb: sql`select table_name from information_schema.tables where table_schema = database()`,
})}`;

const uuidPattern = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;

/** Returns the UUIDs of a text, in lower case. */
export const uuidsOf = (text: string): ReadonlySet<string> =>
  new Set((text.match(uuidPattern) ?? []).map((id) => id.toLowerCase()));
