import assert from "node:assert/strict";
import * as Members from "../app/domain/team/members.ts";
import type { Role } from "../app/domain/team/policy.ts";
import * as Team from "../app/domain/team/team.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

// Rights of each role on the pages. For people of other teams every page is missing (404).
const expected = {
  admin: { see: 200, add: 303, isManager: true },
  member: { see: 200, add: 303, isManager: false },
  stranger: { see: 404, add: 404, isManager: false },
} as const;

for (const [role, { see, add, isManager }] of Object.entries(expected)) {
  test(`${role} of a team: see ${see}, add ${add}, ${isManager ? "manages" : "does not manage"} the team`, async () => {
    const creator = await TeamFactory.context();
    const team = await TeamFactory.make({ name: "Old" }, creator);
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

    await ada.put(teamPath, { name: "New", version: String(team.version) });
    assert.equal((await Team.find(team.id, creator))?.name, isManager ? "New" : "Old");
    await ada.post(`${teamPath}/members`, { email: "grace@example.com", role: "member" });
    const [members] = await Members.search({}, { ...creator, params: { team: team.id } });
    assert.equal(
      members.some(({ email }) => email === "grace@example.com"),
      isManager,
    );
  });
}
