import assert from "node:assert/strict";
import type { Role } from "../app/domain/team/entity.ts";
import * as Members from "../app/domain/team/members.ts";
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

for (const [role, { see, add, manage }] of Object.entries(expected)) {
  test(`${role} of a team: see ${see}, add ${add}, manage ${manage}`, async () => {
    const creator = await TeamFactory.context();
    const team = await TeamFactory.make({}, creator);
    const [[membership]] = await Members.search({}, { ...creator, params: { team: team.id } });
    const project = await ProjectFactory.make({}, { ...creator, params: { team: team.id } });
    const issue = await IssueFactory.make({}, { ...creator, params: { project: project.id } });
    const comment = await CommentFactory.make({}, { ...creator, params: { issue: issue.id } });
    const ctx =
      role === "stranger" ? await TeamFactory.newUserContext() : await TeamFactory.join(team.id, role as Role);
    const ada = await loggedIn({ ctx });

    const [teamPath, projectPath, issuePath] = [`/teams/${team.id}`, `/projects/${project.id}`, `/issues/${issue.id}`];
    const pages = {
      team: teamPath,
      members: `${teamPath}/members`,
      member: `${teamPath}/members/${membership?.id}`,
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
    assert.equal((await ada.put(issuePath, change)).status, add);
    const changes = [
      ["its owner and admins", () => ada.put(pages.comment, { text: "New", version: String(comment.version) })],
      ["its owner and admins", () => ada.delete(pages.comment)],
      ["admins add members", () => ada.post(pages.members, { email: "grace@example.com", role: "member" })],
      ["admins change roles", () => ada.patch(pages.member, { role: "member" })],
      ["admins remove members", () => ada.delete(pages.member)],
      ["admins may change or delete", () => ada.put(teamPath, { name: "New", version: String(team.version) })],
      ["admins may change or delete", () => ada.delete(teamPath)],
    ] as const;
    for (const [reason, send] of changes) {
      const { status, body } = await send();
      assert.deepEqual([status, body.includes(`Only ${reason}`)], [manage, manage === 403], reason);
    }
  });
}
