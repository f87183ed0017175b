// What people do on the pages of a generated project, and what they send to its API.
import assert from "node:assert/strict";
import { Context } from "limmat";
import type { Visitor } from "limmat/testing";
import * as Greeting from "../app/domain/greeting/greeting.ts";
import * as Members from "../app/domain/team/members.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import { database, email, queue, user } from "../service/service.ts";
import * as AuthorFactory from "./factory/author.ts";
import * as BookFactory from "./factory/book.ts";
import * as DiaryFactory from "./factory/diary.ts";
import * as EmployeeFactory from "./factory/employee.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as TeamFactory from "./factory/team.ts";
import { type Guest, guest } from "./shown-texts.ts";

const userId = (ctx: Context | undefined): string => Context.get(ctx ?? [], "user_id") ?? "";

async function logIn(device: Visitor, id: string): Promise<void> {
  const person = await user.find(id);
  await device.get("/login");
  await device.post("/login", { email: person.email, password: "" });
  await device.post("/login", { email: person.email, password: "χ" });
  assert.equal((await device.post("/login", { email: person.email, password: TeamFactory.password })).status, 303);
  await device.get("/teams/new");
}

/** Form of a resource: valid values, and values that each field refuses. */
interface Form {
  readonly list: string;
  readonly item: string;
  readonly valid: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
}

const missing = crypto.randomUUID();

/** Uses all pages of a resource as somebody who makes mistakes. */
async function useResource(device: Guest, { list, item, valid, wrong }: Form): Promise<void> {
  await device.get(list);
  for (const query of ["filter=χ", "limit=χ", "offset=-1", "sort=χ", "sort=created_at&limit=1", "χ=χ"]) {
    await device.get(`${list}?${query}`);
  }
  for (const [field, value] of Object.entries(valid)) await device.get(`${list}?${field}=${encodeURIComponent(value)}`);
  for (const field of Object.keys(valid)) await device.get(`${list}?${field}=χ`);
  await device.get(`${list}/new`);
  for (const fields of [{}, wrong]) await device.post(list, fields);
  const added = await device.post(list, valid);
  assert.equal(added.status, 303, `${list}: ${added.body}`);
  await device.follow(added);
  await device.post(list, valid);
  await device.get(item);
  const form = await device.get(`${item}/edit`);
  const [, version = ""] = /name="version" value="(\d+)"/.exec(form.body) ?? [];
  for (const fields of [{ version }, { version, ...wrong }]) await device.put(item, fields);
  const changed = await device.put(item, { version, ...valid, ...unique(valid) });
  assert.equal(changed.status, 303, `${item}: ${changed.body}`);
  await device.follow(changed);
  assert.equal((await device.put(item, { version, ...valid })).status, 409);
  await device.get(`${item}/edit`);
  await device.delete(item, { version });
  const path = item.replace(/[^/]+$/, missing);
  for (const gone of [path, `${path}/edit`]) await device.get(gone);
  await device.put(path, { version, ...valid });
  await device.delete(path);
}

/** Returns other values for the fields that must be unique. */
const unique = ({ email: address, shelf_id: shelf }: Form["valid"]): Record<string, string> => ({
  ...(address !== undefined && { email: `χ${address}` }),
  ...(shelf !== undefined && { shelf_id: crypto.randomUUID() }),
});

const gif = new File(["GIF89a"], "χ.gif");

async function useUpload(device: Guest, item: string, name: string): Promise<void> {
  await device.get(`${item}/${name}`);
  await device.get(item);
  const tooLarge = new File([Buffer.alloc(5_000_001)], "χ.gif");
  for (const file of [new File([], ""), new File(["χ"], "χ.txt"), tooLarge, gif]) {
    await device.follow(await device.post(`${item}/${name}`, { [name]: file }));
  }
  assert.equal((await device.get(`${item}/${name}`)).status, 200);
}

/** Uses the pages of a logged-in admin of a team, a member, and a stranger. Returns their pages. */
export async function visitResources(preferred: string): Promise<Guest["pages"]> {
  const adminContext = await TeamFactory.context();
  const adminId = userId(adminContext.ctx);
  await user.confirm({ id: adminId });
  const author = await AuthorFactory.make({ name: "Σαπφώ", email: "sappho@example.com" });
  const book = await BookFactory.make({ title: "Ὕμνος", summary: "Ὠδή", extra: { β: ["γ"] }, author_id: author.id });
  await BookFactory.make({
    title: "Ἔπος",
    summary: undefined,
    rating: undefined,
    published_on: undefined,
    sold: false,
    status: "published",
    extra: undefined,
    prequel_id: book.id,
  });
  const team = await TeamFactory.make({ name: "Χορός" }, adminContext);
  const inTeam = { ctx: adminContext.ctx ?? [], params: { team: team.id } };
  const issue = await IssueFactory.make({ title: "Λύρα", label_ids: [author.id] }, inTeam);
  const diary = await DiaryFactory.make({ text: "Σήμερα" }, adminContext);

  const stranger = guest(preferred);
  for (const path of ["/", "/authors", "/teams", "/χ", "/api/authors", "/health/live"]) await stranger.get(path);
  await stranger.post("/authors", { name: "χ" });
  await Greeting.insert({ text: "Χαῖρε" });

  const ada = guest(preferred);
  await logIn(ada, adminId);
  for (const path of ["/", "/staff", "/χ"]) await ada.get(path);
  await useResource(ada, {
    list: "/authors",
    item: `/authors/${author.id}`,
    valid: { name: "Κόριννα", email: "corinna@example.com" },
    wrong: { name: "χ".repeat(256), email: "χ".repeat(256) },
  });
  await useResource(ada, {
    list: "/books",
    item: `/books/${book.id}`,
    valid: {
      title: "Μέλος",
      summary: "χ",
      pages: "7",
      rating: "0",
      price: "7",
      sold: "true",
      published_on: "2026-01-31",
      read_at: "2026-01-31T12:30",
      shelf_id: crypto.randomUUID(),
      extra: "[]",
      status: "draft",
      author_id: author.id,
      prequel_id: "",
    },
    wrong: {
      title: "χ".repeat(256),
      summary: "\0",
      pages: "χ",
      rating: "χ",
      price: "χ",
      sold: "χ",
      published_on: "χ",
      read_at: "χ",
      shelf_id: "χ",
      extra: "{",
      status: "χ",
      author_id: "χ",
      prequel_id: missing,
    },
  });
  await ada.follow(await ada.delete(`/authors/${author.id}`));
  await useUpload(ada, `/books/${book.id}`, "cover");
  await useResource(ada, {
    list: "/teams",
    item: `/teams/${team.id}`,
    valid: { name: "Θίασος" },
    wrong: { name: "\0" },
  });
  await useUpload(ada, `/teams/${team.id}`, "photo");
  const issues = `/teams/${team.id}/issues`;
  await useResource(ada, {
    list: issues,
    item: `/issues/${issue.id}`,
    valid: { title: "Αὐλός", state: "open", assignee_id: adminId },
    wrong: { title: "", state: "χ", assignee_id: missing, label_ids: missing },
  });
  await ada.post(issues, { title: "Αὐλός", state: "open", assignee_id: missing });
  await ada.post(issues, { title: "Αὐλός", state: "open", label_ids: missing });
  await useResource(ada, {
    list: "/diaries",
    item: `/diaries/${diary.id}`,
    valid: { text: "Χθές" },
    wrong: { text: "\0" },
  });
  await ada.get(`/teams/${missing}/issues`);
  await ada.post(`/teams/${missing}/issues`, { title: "χ", state: "open" });

  // Members: a refused address, a pending membership, a changed role, and the last admin, who cannot leave.
  const members = `/teams/${team.id}/members`;
  for (const path of [members, `${members}/new`, `${members}?role=χ`, `${members}?role=admin`]) await ada.get(path);
  for (const fields of [{}, { email: "χ", role: "χ" }]) await ada.post(members, fields);
  const address = "erinna@example.com";
  await ada.follow(await ada.post(members, { email: address, role: "member" }));
  await ada.post(members, { email: (await user.find(adminId)).email, role: "member" });
  const [rows] = await Members.search({}, inTeam);
  for (const { id, user_id } of rows) {
    if (user_id === undefined) await teamMembers.update(database, { id }, { expires_at: new Date(0) });
    for (const path of [`${members}/${id}`, `${members}/${id}/edit`]) await ada.get(path);
    await ada.patch(`${members}/${id}`, { role: "χ" });
  }
  const own = rows.find(({ user_id }) => user_id === adminId);
  const other = rows.find(({ user_id }) => user_id !== adminId && user_id !== undefined);
  await ada.patch(`${members}/${own?.id}`, { role: "member" });
  await ada.follow(await ada.delete(`${members}/${own?.id}`));
  await ada.follow(await ada.patch(`${members}/${other?.id}`, { role: "admin" }));
  await ada.follow(await ada.patch(`${members}/${other?.id}`, { role: "member" }));
  await ada.get(`${members}/${missing}`);
  await ada.follow(await ada.post("/account/delete", { password: TeamFactory.password }));

  // An invited person, who becomes a member and may not change the team.
  const grace = guest(preferred);
  const { id: graceId } = await user.createUser({ email: address, password: TeamFactory.password });
  await ada.follow(await ada.post(members, { email: address, role: "member" }));
  await logIn(grace, graceId);
  await grace.get(`/teams/invitations/${missing}`);
  await user.confirm({ id: graceId });
  await grace.get(`/teams/invitations/${missing}`);
  const invited = await grace.get("/teams");
  const [, answer = ""] = /action="([^"]+\/invitations\/[^"]+)"/.exec(invited.body) ?? [];
  await grace.get(answer);
  await grace.follow(await grace.delete(answer));
  await grace.follow(await grace.put(answer));
  await ada.post(members, { email: address, role: "member" });
  const [, secondAnswer = ""] = /action="([^"]+\/invitations\/[^"]+)"/.exec((await grace.get("/teams")).body) ?? [];
  await grace.follow(await grace.put(secondAnswer));
  for (const path of [members, `/teams/${team.id}`, `/issues/${issue.id}`, `${members}/new`]) await grace.get(path);
  await grace.post(members, { email: "nossis@example.com", role: "member" });
  await grace.patch(`${members}/${own?.id}`, { role: "member" });
  for (const path of [`${members}/${own?.id}`, `/teams/${team.id}`, `/issues/${issue.id}`]) {
    await grace.follow(await grace.delete(path));
  }
  await grace.put(`/teams/${team.id}`, { name: "Θίασος", version: "2" });
  await grace.put(`/issues/${issue.id}`, { title: "Αὐλός", state: "open", version: "2" });
  await grace.post(`/teams/${team.id}/photo`, { photo: gif });
  await grace.follow(await grace.delete(`${members}/${(await memberOf(team.id, graceId, inTeam)).id}`));
  for (const path of [`/teams/${team.id}`, `/diaries/${diary.id}`, members]) await grace.get(path);

  // A page for employees.
  const manager = guest(preferred);
  const { user_id: managerId } = await EmployeeFactory.make({ role: "manager" });
  await logIn(manager, managerId);
  await manager.get("/staff");

  // The owner deletes what nothing refers to.
  for (const path of [`/issues/${issue.id}`, `/teams/${team.id}`, `/diaries/${diary.id}`]) {
    await ada.follow(await ada.delete(path));
  }
  return [...stranger.pages, ...ada.pages, ...grace.pages, ...manager.pages];
}

/** Uses the pages for administrators. */
export async function visitAdmin(preferred: string): Promise<Guest["pages"]> {
  const context = await TeamFactory.context();
  const id = userId(context.ctx);
  await user.setAdmin({ id }, true);
  const author = await AuthorFactory.make({ name: "Πραξίλλα", email: "praxilla@example.com" });
  const book = { title: "Ὕμνος", summary: "Ὠδή", extra: { β: ["γ"] }, author_id: author.id };
  const team = await TeamFactory.make({ name: "Χορός" }, context);
  const inTeam = { ctx: context.ctx ?? [], params: { team: team.id } };
  const rows = {
    authors: author,
    books: await BookFactory.make(book),
    teams: team,
    issues: await IssueFactory.make({ title: "Λύρα", label_ids: [author.id] }, inTeam),
    diaries: await DiaryFactory.make({ text: "Σήμερα" }, context),
    employees: await EmployeeFactory.make({ role: "manager" }),
  };
  const admin = guest(preferred);
  await logIn(admin, id);
  for (const path of ["", "/user_users", `/user_users/${id}`]) await admin.get(`/admin${path}`);
  for (const [table, row] of Object.entries(rows)) {
    const item = `/admin/${table}/${row.id}`;
    for (const path of [`/admin/${table}`, `/admin/${table}?filter=χ`, item, `${item}/edit`]) await admin.get(path);
  }
  await admin.put(`/admin/authors/${author.id}`, { version: String(author.version) });
  await admin.follow(await admin.delete(`/admin/authors/${author.id}`));
  return admin.pages;
}

async function memberOf(id: string, memberId: string, options: Members.ListOptions): Promise<Members.Member> {
  const [rows] = await Members.search({}, options);
  const found = rows.find(({ user_id }) => user_id === memberId);
  assert.ok(found !== undefined, id);
  return found;
}

/** Registers, confirms the address, changes address and password, forgets it, and deletes the account. */
export async function visitAccount(preferred: string): Promise<Guest["pages"]> {
  const ada = guest(preferred);
  const [address, next, password] = ["ada@example.com", "ada@example.org", "λειμὼν γαλῶν"];
  const link = async (path: string): Promise<URL> => {
    await queue.runDue();
    const links = email.inbox.all().flatMap((mail) => /https?:\S+/.exec(mail.text)?.[0] ?? []);
    return new URL(links.find((found) => found.includes(path)) ?? "");
  };
  const open = async (path: string): Promise<string> => {
    const { pathname, search, searchParams } = await link(path);
    await ada.get(pathname + search);
    return searchParams.get("token") ?? "";
  };
  for (const path of ["/login", "/account", "/register"]) await ada.get(path);
  for (const fields of [{}, { email: "χ", password: "χ", confirmation: "ψ" }, { email: address, password: "password" }])
    await ada.post("/register", fields);
  await ada.follow(await ada.post("/register", { email: address, password, confirmation: password }));
  await ada.get("/account");
  await ada.follow(await ada.post("/account/email/link"));
  const token = await open("/account/email/confirm");
  for (let round = 0; round < 2; round++) await ada.follow(await ada.post("/account/email/confirm", { token }));
  await ada.get("/account/email/confirm?token=χ");

  const other = guest(preferred);
  await other.get("/login");
  await other.follow(await other.post("/login", { email: address, password }));
  await other.get("/register");
  await other.post("/register", { email: address, password, confirmation: password });
  const account = await ada.get("/account");
  const [, session = ""] = /action="([^"]+\/sessions\/[^"/]+\/end)"/.exec(account.body) ?? [];
  await ada.follow(await ada.post(session));
  await ada.follow(await ada.post("/account/sessions/end"));
  await ada.post("/account/password", { old: "χ", password: "χ", confirmation: "ψ" });
  await ada.follow(
    await ada.post("/account/password", { old: password, password: `${password}!`, confirmation: `${password}!` }),
  );
  await ada.get("/account/email");
  for (const fields of [{}, { email: "χ", password: "χ" }, { email: address, password: `${password}!` }])
    await ada.post("/account/email", fields);
  await ada.follow(await ada.post("/account/email", { email: next, password: `${password}!` }));
  await ada.follow(await ada.post("/account/email/confirm", { token: await open("/account/email/confirm") }));
  await ada.get("/logout");
  await ada.follow(await ada.post("/logout"));

  await ada.get("/password-reset");
  for (const fields of [{}, { email: "χ" }]) await ada.post("/password-reset", fields);
  await ada.follow(await ada.post("/password-reset", { email: next }));
  const reset = await open("/password-reset");
  await ada.post("/password-reset/new", { token: reset, password: "χ", confirmation: "ψ" });
  await ada.follow(await ada.post("/password-reset/new", { token: reset, password, confirmation: password }));
  await ada.get(`/password-reset/new?token=${reset}`);
  await ada.get("/login");
  await ada.follow(await ada.post("/login", { email: next, password }));
  await ada.get("/account/delete");
  for (const fields of [{}, { password: "χ" }]) await ada.post("/account/delete", fields);
  await ada.follow(await ada.post("/account/delete", { password }));
  await ada.get("/login");
  for (let attempt = 0; attempt < 12; attempt++) await ada.post("/login", { email: next, password });

  // The inbox of the development server.
  await queue.runDue();
  const mail = { recipient: next, subject: "", text: "χ", attachments: [{ name: "χ.txt", content: "χ" }] };
  await email.send(mail);
  await queue.runDue();
  await ada.get("/mails");
  for (const { id } of email.inbox.all())
    for (const path of ["", "/page", "/attachments/0"]) await ada.get(`/mails/${id}${path}`);
  for (const path of ["preview-0", "preview-0/page", missing]) await ada.get(`/mails/${path}`);
  return [...ada.pages, ...other.pages];
}

/** Uses the JSON API, and sends requests that no form sends. */
export async function visitApi(preferred: string): Promise<Guest["pages"]> {
  const { id, version } = await AuthorFactory.make({ name: "Σαπφώ", email: "sappho@example.com" });
  await BookFactory.make({ author_id: id });
  const client = guest(preferred);
  const json = { "content-type": "application/json" };
  const authors = "/api/authors";
  const valid = { name: "χ", email: "χ" };
  for (const path of [
    `${authors}/${id}`,
    `${authors}?sort=χ`,
    `${authors}?χ=1`,
    `${authors}/${missing}`,
    "/api/hello/χ",
    "/api/χ",
    "/health/ready",
  ])
    await client.get(path);
  for (const body of [
    "{",
    "[]",
    "{}",
    '{"name":1,"email":[],"χ":1}',
    '{"name":"χ","email":"sappho@example.com"}',
    JSON.stringify(valid),
  ])
    await client.send(authors, { method: "POST", headers: json, body });
  await client.send(authors, { method: "POST", headers: { "content-type": "text/plain" }, body: "χ" });
  await client.send("/api/greetings", { method: "POST", headers: json, body: "{}" });
  for (const change of [{ ...valid, version: version + 1 }, valid, { ...valid, version: "χ" }])
    await client.send(`${authors}/${id}`, { method: "PUT", headers: json, body: JSON.stringify(change) });
  for (const match of [`"${version + 1}"`, "7", `"${version}"`])
    await client.send(`${authors}/${id}`, { method: "DELETE", headers: { "if-match": match } });
  const html = { accept: "text/html" };
  const form = { ...html, "content-type": "application/x-www-form-urlencoded" };
  await client.send("/authors", { method: "POST", headers: form, body: "name=χ" });
  await client.send("/authors", { method: "POST", headers: { ...html, ...json }, body: "{" });
  await client.send("/authors", { method: "POST", headers: form, body: "x".repeat(3_000_000) });
  await client.send("/authors", { method: "PROPFIND", headers: html });
  await client.send("/authors", { method: "GET", headers: { accept: "image/png" } });
  return client.pages;
}
