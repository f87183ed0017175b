// Every page, form, message, file and mail of a generated project in each of its languages. It runs in the project.
import assert from "node:assert/strict";
import { error, isError, type Result } from "limmat";
import * as Author from "../app/domain/author/author.ts";
import * as Book from "../app/domain/book/book.ts";
import * as Diary from "../app/domain/diary/diary.ts";
import * as Employee from "../app/domain/employee/employee.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Members from "../app/domain/team/members.ts";
import { setPhoto } from "../app/domain/team/photo.ts";
import * as Team from "../app/domain/team/team.ts";
import { invoice } from "../app/mail/invoice.ts";
import { language } from "../language/language.ts";
import { router } from "../routes/routes.ts";
import { email, queue } from "../service/service.ts";
import * as AuthorFactory from "./factory/author.ts";
import * as BookFactory from "./factory/book.ts";
import * as DiaryFactory from "./factory/diary.ts";
import * as EmployeeFactory from "./factory/employee.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as TeamFactory from "./factory/team.ts";
import { test, useServices } from "./setup.ts";
import { type Contents, escaped, foreignTexts, languages, partsOf, visibleTexts } from "./shown-texts.ts";
import { visitAccount, visitAdmin, visitApi, visitResources } from "./visits.ts";

useServices();

/** Asks services for what pages do not offer: changes that a policy refuses, and entries that are gone. */
async function refusals(): Promise<Contents> {
  const missingId = crypto.randomUUID();
  const options = await TeamFactory.context();
  const team = await TeamFactory.make({}, options);
  const inTeam = { ctx: options.ctx ?? [], params: { team: team.id } };
  const issue = await IssueFactory.make({}, inTeam);
  const diary = await DiaryFactory.make();
  const employee = await EmployeeFactory.make();
  const [[member]] = await Members.search({}, inTeam);
  assert.ok(member !== undefined);
  const [author, employeeContext] = [await AuthorFactory.input(), await EmployeeFactory.context()];
  const reader = { ctx: await TeamFactory.join(team.id, "member") };
  const stranger = { ctx: await TeamFactory.newUserContext() };
  for (const operation of [
    async () => Team.delete(team, stranger),
    async () => Issue.insert(await IssueFactory.input(inTeam), { ...inTeam, ...stranger }),
    async () => Issue.delete(issue, stranger),
    async () => Diary.delete(diary, stranger),
  ]) {
    await assert.rejects(operation, { code: "E_POLICY_NO_ROW" });
  }
  const results = {
    author: [await Author.update(missingId, author)],
    book: [
      await Book.update(missingId, await BookFactory.input()),
      await Book.insert(await BookFactory.input({ author_id: missingId })),
    ],
    team: [
      await refusal(Team.update(team.id, await TeamFactory.input(), reader)),
      await refusal(setPhoto(team, Buffer.from("GIF89a"), "image/gif", reader)),
    ],
    member: [
      await refusal(Members.insert({ email: "erinna@example.com", role: "member" }, { ...inTeam, ...reader })),
      await refusal(Members.update(member.id, { email: "", role: "member" }, reader)),
      await refusal(Members.delete(member, reader)),
    ],
    employee: [
      await Employee.update(missingId, await EmployeeFactory.input(), employeeContext),
      await Employee.insert(await EmployeeFactory.input({ user_id: missingId }), employeeContext),
      await Employee.insert(await EmployeeFactory.input({ user_id: employee.user_id }), employeeContext),
    ],
  };
  return Object.entries(results).flatMap(([name, outcomes]) =>
    outcomes.map((outcome) => {
      assert.equal(outcome.ok, false, name);
      return [name, JSON.stringify(outcome)] as const;
    }),
  );
}

/** Returns the reason of a policy that refuses an operation. */
async function refusal(operation: Promise<unknown>): Promise<Result<never>> {
  const thrown = await operation.catch((caught: unknown) => caught);
  assert.ok(isError(thrown, "E_POLICY_REFUSED"));
  return error(thrown.message);
}

/** Texts that the pages need not show: words that begin a sentence, pages that the project lacks, and a conflict of two requests. */
const isUnused = /\.(?:one|many)$|^(?:welcome\.accounts|employee\.(?:title|fields|choices|missing)\b)/;

/** HTML of a mail in the inbox, which has the language of the mail. */
const isMail = /^GET \/mails\/.*\/page$/;

for (const [name, catalogue, find] of languages) {
  test(`every page, form and message is in the language ${name}`, async () => {
    const pages = [
      ...(await visitAdmin(name)),
      ...(await visitResources(name)),
      ...(await visitAccount(name)),
      ...(await visitApi(name)),
    ];
    for (const paid of [true, false]) {
      await language.run(name, () => email.send({ recipient: "ada@example.com", ...invoice({ paid }) }));
    }
    await queue.runDue();
    const mails = email.inbox.all();
    assert.ok(mails.length >= 10, String(mails.length));

    const contents = [
      ...pages.map(([request, { body }]) => [request, body] as const),
      ...mails.map((mail) => [mail.subject, `<p>${mail.subject}</p>\n${mail.text}\n${mail.html ?? ""}`] as const),
      ...(await language.run(name, refusals)),
    ];
    assert.deepEqual(foreignTexts(contents, find), []);

    for (const [request, { headers, body }] of pages) {
      if (!body.startsWith("<!doctype") || isMail.test(request)) continue;
      assert.match(body, new RegExp(`^<!doctype html>\\s*<html lang="${name}"`), request);
      assert.equal(headers.get("content-language"), name, request);
    }

    for (const { subject, html } of mails) {
      if (html !== undefined) assert.match(html, new RegExp(`<html lang="${name}"`), subject);
    }

    // A page and a text that a generator adds must be visited.
    const requests = pages.filter(([, { status }]) => status === 200).map(([request]) => request.replace(/\?.*/, ""));
    const unvisited = router.routes
      .filter(({ methods, isPlaceholder }) => methods.includes("GET") && !isPlaceholder)
      .map(({ path }) => path)
      .filter((path) => {
        const pattern = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : escaped(part)));
        return !requests.some((request) => new RegExp(`^GET ${pattern.join("/")}$`).test(request));
      });
    assert.deepEqual(unvisited, []);
    const shown = contents.map(([, content]) => visibleTexts(content)).join("\n");
    const unseen = partsOf(catalogue).filter(([path, part]) => !isUnused.test(path) && !shown.includes(part));
    assert.deepEqual(unseen, []);
  });
}
