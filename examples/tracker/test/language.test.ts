import assert from "node:assert/strict";
import type { Language } from "limmat";
import { de as frameworkGerman } from "limmat/language/de";
import { en as frameworkEnglish } from "limmat/language/en";
import { type Page, type Visitor, visitor } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Members from "../app/domain/team/members.ts";
import * as ActivityFactory from "./factory/activity.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as LabelFactory from "./factory/label.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { de } from "../language/de.ts";
import { en } from "../language/en.ts";
import { language, text } from "../language/language.ts";
import { router } from "../routes/routes.ts";
import { app } from "../run/run.ts";
import { email, queue, user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Words of the English texts that are the same in German. */
const sameWords = ["Admin", "Name", "Start", "Teams", "Text"];

/** Returns the literal parts of all texts of a catalogue: those between placeholders. */
function partsOf(catalogue: object): string[] {
  return Object.values(catalogue)
    .flatMap((entry: unknown): string[] => {
      if (typeof entry === "string") return entry.split(/\{[^}]*\}/);
      if (typeof entry === "object" && entry !== null) return partsOf(entry);
      return typeof entry === "function" ? partsOfResult(entry as (...values: unknown[]) => unknown) : [];
    })
    .map((part) => part.trim().replace(/^[^\p{L}]+/u, ""));
}

/** Returns the literal parts of the result of a function, called with marks as its values. */
function partsOfResult(entry: (...values: unknown[]) => unknown): string[] {
  try {
    const result = entry("§", "§", "§");
    return typeof result === "string" ? result.split(/§|undefined|NaN/) : [];
  } catch {
    return [];
  }
}

/** Returns the parts of English texts that no German page shows. */
function englishParts(english: Language.Catalogue | object, german: object): readonly string[] {
  const germanTexts = new Set(partsOf(german));
  return [...new Set(partsOf(english))].filter((part) => part.length > 3 && !germanTexts.has(part));
}

const ownParts = englishParts(en, de);
const parts = [...ownParts, ...englishParts(frameworkEnglish, frameworkGerman)];

/** Returns a text as a part of a regular expression. */
const escaped = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns the texts that a browser shows or a screen reader reads. */
function visibleTexts(body: string): string {
  const attributes = [...body.matchAll(/ (?:aria-label|title|placeholder|alt|data-label)="([^"]*)"/g)];
  const content = body.replaceAll(/<(script|style)[^>]*>[^]*?<\/\1>/g, "").replaceAll(/<[^>]*>/g, "\n");
  return [content, ...attributes.map(([, value]) => value)]
    .join("\n")
    .replaceAll(/&#39;|&#x27;/g, "'")
    .replaceAll("&quot;", '"')
    .replaceAll(/https?:\S+/g, "");
}

/** Returns the English texts in pages or mails, by where they are. */
function englishIn(contents: Iterable<readonly [place: string, content: string]>): readonly string[] {
  return Array.from(contents).flatMap(([place, content]) => {
    // The factory of issues stores a label of its own.
    const shown = visibleTexts(content).replaceAll(/First name \w+/g, "");
    const found = parts.filter((part) => new RegExp(`(?<![\\p{L}@.])${escaped(part)}(?![\\p{L}@])`, "u").test(shown));
    return found.map((part) => `${place}: ${part}`);
  });
}

/** Visitor whose browser prefers a language, and the pages that it has got. */
interface Guest extends Visitor {
  readonly pages: ReadonlyMap<string, Page>;
}

function guest(preferred: string): Guest {
  const pages = new Map<string, Page>();
  const device = visitor({
    request: (path, init) => {
      const headers = new Headers(init?.headers);
      headers.set("accept-language", preferred);
      return app.request(path, { ...init, headers });
    },
  });
  const keep = async (method: string, path: string, page: Promise<Page>): Promise<Page> => {
    pages.set(`${method} ${path}`, await page);
    return page;
  };
  return {
    pages,
    get: (path) => keep("GET", path, device.get(path)),
    post: (path, fields) => keep("POST", path, device.post(path, fields)),
    put: (path, fields) => keep("PUT", path, device.put(path, fields)),
    patch: (path, fields) => keep("PATCH", path, device.patch(path, fields)),
    delete: (path, fields) => keep("DELETE", path, device.delete(path, fields)),
    follow: (page) => keep("GET", page.location ?? "", device.follow(page)),
    get cookies() {
      return device.cookies;
    },
  };
}

async function logIn(device: Visitor, id: string): Promise<void> {
  const person = await user.find(id);
  await device.get("/login");
  assert.equal((await device.post("/login", { email: person.email, password: TeamFactory.password })).status, 303);
  await device.get("/teams/new");
}

/** Stores a team with an entry of each kind, named in German. */
async function world() {
  const creator = await TeamFactory.context();
  const adminId = actingUser(creator).id;
  await user.confirm({ id: adminId });
  const team = await TeamFactory.make({ name: "Bahn" }, creator);
  const inTeam = { ...creator, params: { team: team.id } };
  const project = await ProjectFactory.make({ name: "Automaten", description: "Am Gleis" }, inTeam);
  const inProject = { ...creator, params: { project: project.id } };
  const label = await LabelFactory.make({ name: "Fehler" }, inProject);
  const issue = await IssueFactory.make(
    { title: "Die Tür knarrt", body: "Seit heute", assignee_id: adminId, label_ids: [label.id] },
    inProject,
  );
  const inIssue = { ...creator, params: { issue: issue.id } };
  const comment = await CommentFactory.make({ text: "Ist das Papier leer?" }, inIssue);
  const activity = await ActivityFactory.make({ subject: "Die Tür knarrt" }, inProject);
  return { creator, adminId, inTeam, inProject, team, project, label, issue, comment, activity };
}

type World = Awaited<ReturnType<typeof world>>;

/** Paths of all pages of a logged-in admin. */
const pathsOf = ({ team, project, label, issue, comment, activity }: World): readonly string[] =>
  `
    / /teams /teams/new /teams/${team.id} /teams/${team.id}/edit /teams/${team.id}/projects
    /teams/${team.id}/projects/new /teams/${team.id}/members /teams/${team.id}/members/new
    /projects/${project.id} /projects/${project.id}/edit /projects/${project.id}/labels
    /projects/${project.id}/labels/new /labels/${label.id} /labels/${label.id}/edit
    /projects/${project.id}/issues /projects/${project.id}/issues/new
    /projects/${project.id}/issues?state=open&filter=nichts /projects/${project.id}/issues.csv
    /projects/${project.id}/issues?state=falsch /projects/${project.id}/issues?limit=falsch
    /issues/${issue.id} /issues/${issue.id}/edit /issues/${issue.id}/comments /issues/${issue.id}/comments/new
    /comments/${comment.id} /comments/${comment.id}/edit /projects/${project.id}/activities
    /activities/${activity.id} /issues/${issue.id}/attachments /issues/${issue.id}/attachments/new /account
    /account/email /account/delete /unbekannt`
    .trim()
    .split(/\s+/);

test("the words that both languages share are known", () => {
  const german = new Set(partsOf(de));
  const same = [...new Set(partsOf(en))].filter((part) => part.length > 3 && german.has(part));
  assert.deepEqual(same.sort(), sameWords);
  assert.ok(ownParts.length > 100, String(ownParts.length));
});

test("every page, form, message and file of a member is in German", async () => {
  const all = await world();
  const { adminId, inTeam, team, project, label, issue, comment } = all;
  const ada = guest("de");
  await logIn(ada, adminId);
  for (const path of pathsOf(all)) await ada.get(path);

  // Forms with errors, messages after changes, refusals, and a concurrent change.
  const lists = [`/teams`, `/teams/${team.id}/projects`, `/projects/${project.id}/labels`];
  for (const path of lists) {
    await ada.get(`${path}/new`);
    await ada.post(path, { name: "" });
    await ada.post(path, { name: "x".repeat(256) });
    await ada.follow(await ada.post(path, { name: "Neu" }));
  }
  await ada.post(`/projects/${project.id}/labels`, { name: "Neu" });
  const issues = `/projects/${project.id}/issues`;
  await ada.post(issues, { title: "", state: "falsch", assignee_id: "falsch", label_ids: "falsch" });
  await ada.post(issues, { title: "Kurz", state: "open" });
  await ada.post(issues, { title: "Zwei Wörter", state: "open", assignee_id: crypto.randomUUID() });
  await ada.post(issues, { title: "Drei Wörter", state: "open", label_ids: crypto.randomUUID() });
  await ada.follow(await ada.post(issues, { title: "Vier Wörter", state: "open" }));
  const change = { title: "Die Tür quietscht", state: "closed", version: String(issue.version) };
  await ada.follow(await ada.put(`/issues/${issue.id}`, change));
  assert.equal((await ada.put(`/issues/${issue.id}`, { ...change, title: "Die Tür klemmt" })).status, 409);
  await ada.post(`/issues/${issue.id}/comments`, { text: "" });
  await ada.follow(await ada.post(`/issues/${issue.id}/comments`, { text: "Ja" }));
  const attachments = `/issues/${issue.id}/attachments`;
  await ada.get(`${attachments}/new`);
  await ada.post(attachments, { file: new File([], "") });
  const file = new File(["x".repeat(1234)], "protokoll.dat");
  const listed = await ada.follow(await ada.post(attachments, { file }));
  assert.match(listed.body, /1\.234 Byte/);
  const [, attachment = ""] = /href="(\/attachments\/[\da-f-]{36})"/.exec(listed.body) ?? [];
  await ada.get(attachment);
  await ada.get(`/projects/${project.id}/activities`);
  for (const path of [attachment, `/comments/${comment.id}`, `/labels/${label.id}`]) {
    await ada.follow(await ada.delete(path));
  }
  const missing = crypto.randomUUID();
  for (const path of [`/projects/${missing}/issues.csv`, `/attachments/${missing}/file`]) await ada.get(path);
  await ada.post(`/issues/${missing}/attachments`, { file });

  // Members: a refused address, a pending membership, a changed role, and the last admin, who cannot leave.
  const members = `/teams/${team.id}/members`;
  await ada.get(`${members}/new`);
  await ada.post(members, { email: "niemand", role: "member" });
  const pending = { email: "niemand@example.com", role: "member" };
  await ada.follow(await ada.post(members, pending));
  await ada.post(members, pending);
  const [rows] = await Members.search({}, inTeam);
  for (const { id } of rows) {
    await ada.get(`${members}/${id}`);
    await ada.get(`${members}/${id}/edit`);
  }
  const own = rows.find(({ user_id }) => user_id === adminId);
  await ada.patch(`${members}/${own?.id}`, { role: "member" });
  await ada.follow(await ada.delete(`${members}/${own?.id}`));
  await ada.post("/account/delete", { password: TeamFactory.password });
  await ada.post("/account/delete", { password: "falsch" });
  await ada.post("/account/password", { old: "falsch", password: "kurz", confirmation: "anders" });

  const grace = guest("de");
  const graceId = actingUser({ ctx: await TeamFactory.newUserContext() }).id;
  const { email: address } = await user.confirm({ id: graceId });
  assert.ok((await Members.insert({ email: address, role: "member" }, inTeam)).ok);
  await logIn(grace, graceId);
  const invited = await grace.get("/teams");
  const [, answer = ""] = /action="([^"]+\/invitations\/[^"]+)"/.exec(invited.body) ?? [];
  for (const device of [grace, ada]) await device.get(answer);
  await grace.follow(await grace.put(answer));
  await grace.follow(await grace.put(answer));
  await grace.get(members);
  await grace.put(`/teams/${team.id}`, { name: "Bus", version: String(team.version) });
  await grace.delete(`/teams/${team.id}`);

  const visited = [...ada.pages, ...grace.pages];
  assert.deepEqual(englishIn(visited.map(([request, { body }]) => [request, body])), []);
  for (const [request, { status, headers, body }] of visited) {
    if (status < 400) assert.equal(headers.get("content-language"), "de", request);
    if (body.startsWith("<!doctype")) assert.match(body, /^<!doctype html>\s*<html lang="de"/, request);
  }

  // A page that is added must be added here.
  const visitedPaths = visited
    .map(([request]) => request.replace(/\?.*/, ""))
    .filter((line) => line.startsWith("GET "));
  const unvisited = router.routes
    .filter(({ methods, isPlaceholder }) => methods.includes("GET") && !isPlaceholder)
    .filter(({ path }) => !/^\/(?:api|mails|health|openapi)/.test(path))
    .filter(({ path }) => !/^\/(?:login|register|password-reset|account\/email\/confirm)/.test(path))
    .map(({ path }) => path)
    .filter((path) => {
      const pattern = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : escaped(part)));
      return !visitedPaths.some((line) => new RegExp(`^GET ${pattern.join("/")}$`).test(line));
    });
  assert.deepEqual(unvisited, []);
});

test("registration, login, mails and a forgotten password are in German", async () => {
  const ada = guest("de-CH,de;q=0.9,en;q=0.5");
  const [address, password] = ["ada@example.com", "eine Wiese voller Katzen"];
  await ada.get("/");
  await ada.get("/login");
  await ada.post("/login", { email: address, password: "falsch" });
  await ada.get("/register");
  await ada.post("/register", { email: "", password: "kurz", confirmation: "" });
  await ada.follow(await ada.post("/register", { email: address, password, confirmation: password }));
  await queue.runDue();
  const [mail] = email.inbox.to(address);
  const confirmation = new URL(/http\S+/.exec(mail?.text ?? "")?.[0] ?? "");
  await ada.get(confirmation.pathname + confirmation.search);
  const token = confirmation.searchParams.get("token") ?? "";
  await ada.follow(await ada.post("/account/email/confirm", { token }));
  await ada.get(confirmation.pathname + confirmation.search);
  await ada.get("/account");
  await ada.post("/account/password", { old: password, password: `${password}!`, confirmation: `${password}!` });
  await ada.get("/password-reset");
  await ada.follow(await ada.post("/password-reset", { email: address }));
  await queue.runDue();
  const link = email.inbox.to(address).flatMap(({ text: sent }) => /http\S+password-reset\S+/.exec(sent) ?? [])[0];
  const { pathname, search, searchParams } = new URL(link ?? "");
  await ada.get(pathname + search);
  await ada.post(pathname, { token: searchParams.get("token") ?? "", password: "kurz", confirmation: "" });
  const form = { token: searchParams.get("token") ?? "", password, confirmation: password };
  await ada.follow(await ada.post(pathname, form));
  await ada.get(pathname + search);
  assert.deepEqual(englishIn(Array.from(ada.pages, ([request, { body }]) => [request, body])), []);

  const mails = email.inbox.to(address);
  assert.equal(mails.length, 3);
  assert.deepEqual(
    englishIn(mails.map(({ subject, text: sent, html }) => [subject, [subject, sent, html ?? ""].join("\n")])),
    [],
  );
});

test("the mail to an assignee has the language of who assigns", async () => {
  const { inProject, issue, project } = await world();
  const id = actingUser({ ctx: await ProjectFactory.join(project.id, "member") }).id;
  const { email: address } = await user.confirm({ id });
  const input = { ...(await IssueFactory.input(inProject)), title: "Die Tür klemmt", assignee_id: id };
  assert.ok((await language.run("de", () => Issue.update(issue.id, input, inProject))).ok);
  await queue.runDue();
  const [mail] = email.inbox.to(address);
  assert.equal(mail?.subject, de.issue.mail.subject);
  assert.deepEqual(englishIn([["mail", `${mail.subject}\n${mail.text}`]]), []);
});

test("services answer in the language of the caller", async () => {
  const { comment, team } = await world();
  const member = { ctx: await TeamFactory.join(team.id, "member") };
  const remove = () => Comment.delete(comment, member);
  await assert.rejects(
    language.run("de", () => remove()),
    { status: 403, message: de.comment.mayNotChange },
  );
  await assert.rejects(remove, { status: 403, message: en.comment.mayNotChange });
});

test("requests in two languages at the same time do not mix", async () => {
  const { adminId, project } = await world();
  const devices = [guest("de"), guest("en")];
  for (const device of devices) await logIn(device, adminId);
  const path = `/projects/${project.id}/issues`;
  const rounds = Array.from({ length: 5 }, () => devices.map((device) => device.get(path)));
  const bodies = (await Promise.all(rounds.flat())).map(({ body }) => body);
  for (const [index, body] of bodies.entries()) {
    const [own, other] = index % 2 === 0 ? [de, en] : [en, de];
    assert.ok(body.includes(own.issue.back) && body.includes(own.issue.fields.state), String(index));
    assert.ok(!body.includes(other.issue.back) && !body.includes(`>${other.issue.fields.state}<`), String(index));
  }
  assert.equal(text.issue.back, en.issue.back);
});

test("the menu chooses a language, which the browser keeps", async () => {
  const ada = guest("en");
  const page = await ada.get("/");
  assert.match(page.body, /href="\/\?language=de" lang="de"/);
  const chosen = await ada.get("/?language=de");
  assert.equal(chosen.location, "/");
  assert.deepEqual(englishIn([["/", (await ada.follow(chosen)).body]]), []);
});
