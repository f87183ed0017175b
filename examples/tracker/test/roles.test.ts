import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Comment from "../app/domain/comment/comment.ts";
import type { Role } from "../app/domain/team/entity.ts";
import * as Members from "../app/domain/team/members.ts";
import { text } from "../language/language.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

// Rights of each role on the pages. For people of other teams every page is missing (404).
const expected = {
  admin: { see: 200, add: 303, manage: 303 },
  member: { see: 200, add: 303, manage: 403 },
  stranger: { see: 404, add: 404, manage: 404 },
} as const;

/** Stores a team with two members, a project, an issue and a comment. */
async function world() {
  const creator = await TeamFactory.context();
  const team = await TeamFactory.make({}, creator);
  const project = await ProjectFactory.make({}, { ...creator, params: { team: team.id } });
  const issue = await IssueFactory.make({}, { ...creator, params: { project: project.id } });
  const inIssue = { ...creator, params: { issue: issue.id } };
  const comment = await CommentFactory.make({}, inIssue);
  const member = await membershipOf(team.id, await TeamFactory.join(team.id, "member"));
  return { team, project, issue, inIssue, comment, member };
}

/** Returns the membership of a user. */
async function membershipOf(team: string, ctx: Context): Promise<Members.Member> {
  const [members] = await Members.search({}, { ctx, params: { team } });
  const membership = members.find(({ user_id }) => user_id === actingUser({ ctx }).id);
  assert.ok(membership !== undefined);
  return membership;
}

for (const [role, { see, add, manage }] of Object.entries(expected)) {
  test(`${role} of a team: see ${see}, add ${add}, manage ${manage}`, async () => {
    const { team, project, issue, comment, member } = await world();
    const ctx =
      role === "stranger" ? await TeamFactory.newUserContext() : await TeamFactory.join(team.id, role as Role);
    const ada = await loggedIn({ ctx });

    const [teamPath, projectPath, issuePath] = [`/teams/${team.id}`, `/projects/${project.id}`, `/issues/${issue.id}`];
    const pages = {
      team: teamPath,
      members: `${teamPath}/members`,
      member: `${teamPath}/members/${member.id}`,
      projects: `${teamPath}/projects`,
      project: projectPath,
      labels: `${projectPath}/labels`,
      issues: `${projectPath}/issues`,
      issue: issuePath,
      comments: `${issuePath}/comments`,
      comment: `/comments/${comment.id}`,
      attachments: `${issuePath}/attachments`,
      activities: `${projectPath}/activities`,
      csv: `${projectPath}/issues.csv`,
    };
    for (const [page, path] of Object.entries(pages)) assert.equal((await ada.get(path)).status, see, page);
    const forms = {
      [pages.projects]: { name: "New" },
      [pages.labels]: { name: "New" },
      [pages.issues]: { title: "New title", state: "open" },
      [pages.comments]: { text: "New" },
      [pages.attachments]: { file: new File(["New"], "new.txt") },
    };
    for (const [path, fields] of Object.entries(forms)) assert.equal((await ada.post(path, fields)).status, add, path);

    const change = { title: "New title", state: "closed", version: String(issue.version) };
    assert.equal((await ada.put(issuePath, change)).status, add, "All members change issues");
    const changes = [
      [text.comment.mayNotChange, () => ada.put(pages.comment, { text: "New", version: String(comment.version) })],
      [text.comment.mayNotChange, () => ada.delete(pages.comment)],
      [text.member.onlyAdminsAdd, () => ada.post(pages.members, { email: "grace@example.com", role: "member" })],
      [text.member.onlyAdminsChange, () => ada.patch(pages.member, { role: "admin" })],
      [text.member.onlyAdminsRemove, () => ada.delete(pages.member)],
      [text.team.mayNotChange, () => ada.put(teamPath, { name: "New", version: String(team.version) })],
      [text.team.mayNotChange, () => ada.delete(teamPath)],
    ] as const;
    for (const [reason, send] of changes) {
      const { status, body } = await send();
      assert.deepEqual([status, body.includes(reason)], [manage, manage === 403], reason);
    }
  });
}

test("a member changes an own comment, until leaving the team", async () => {
  const { team, inIssue } = await world();
  const ctx = await TeamFactory.join(team.id, "member");
  const comment = await CommentFactory.make({}, { ...inIssue, ctx });
  assert.ok((await Comment.update(comment.id, { text: "Better" }, { ctx })).ok);
  assert.ok((await Members.delete(await membershipOf(team.id, ctx), { ctx })).ok);
  const missing = { code: "E_POLICY_NO_ROW" };
  await assert.rejects(Comment.update(comment.id, { text: "Best" }, { ctx }), missing);
  await assert.rejects(Comment.delete(comment, { ctx }), missing);
});
