import assert from "node:assert/strict";
import * as Membership from "../app/domain/membership/membership.ts";
import type { Role } from "../app/domain/membership/policy.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as LabelFactory from "./factory/label.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

// Statuses of requests by role. People of other teams learn nothing: everything is missing.
const expected: Readonly<Record<Role | "stranger", readonly [see: number, change: number, own: number]>> = {
  owner: [200, 200, 200],
  member: [200, 200, 403],
  guest: [200, 403, 403],
  stranger: [404, 404, 404],
};

for (const [role, [see, change, own]] of Object.entries(expected)) {
  test(`${role} of a team: see ${see}, change ${change}, manage the team ${own}`, async () => {
    const team = await TeamFactory.make();
    const inTeam = { params: { team: team.id } };
    const project = await ProjectFactory.make({}, inTeam);
    const issue = await IssueFactory.make({}, { params: { project: project.id } });
    const comment = await CommentFactory.make({}, { params: { issue: issue.id } });
    const ada = await loggedIn({ admin: false });
    const adas = { member_id: ada.user.id, role: role as Role };
    if (role !== "stranger") assert.ok((await Membership.insert(adas, inTeam)).ok);

    const pages = [`/projects/${project.id}`, `/issues/${issue.id}`, `/comments/${comment.id}`];
    const lists = [`/teams/${team.id}/projects`, `/projects/${project.id}/issues`, `/issues/${issue.id}/comments`];
    const files = [
      `/issues/${issue.id}/attachments`,
      `/projects/${project.id}/activities`,
      `/projects/${project.id}/issues.csv`,
    ];
    for (const path of [`/teams/${team.id}`, `/teams/${team.id}/memberships`, ...pages, ...lists, ...files]) {
      assert.equal((await ada.get(path)).status, see, path);
    }
    for (const path of [...pages.map((page) => `${page}/edit`), ...lists.map((list) => `${list}/new`)]) {
      assert.equal((await ada.get(path)).status, change, path);
    }
    for (const path of [`/teams/${team.id}/edit`, `/teams/${team.id}/memberships/new`]) {
      assert.equal((await ada.get(path)).status, own, path);
    }
    await ada.get("/teams/new"); // has the token of its form
    const changes = [
      () => ada.post(`/teams/${team.id}/projects`, { name: "New" }),
      () => ada.post(`/projects/${project.id}/issues`, { title: "New", state: "open" }),
      () => ada.post(`/issues/${issue.id}/comments`, { text: "New" }),
      () => ada.post(`/issues/${issue.id}/attachments`, { file: new File(["New"], "new.txt") }),
    ];
    for (const send of changes) assert.equal((await send()).status, change === 200 ? 303 : change, String(send));
    const invitation = { member_id: (await loggedIn()).user.id, role: "guest" };
    const invited = await ada.post(`/teams/${team.id}/memberships`, invitation);
    assert.equal(invited.status, own === 200 ? 303 : own);
    assert.equal((await ada.delete(`/comments/${comment.id}`)).status, change === 200 ? 303 : change);
    assert.equal((await ada.delete(`/teams/${team.id}`)).status, own === 200 ? 303 : own);
  });
}

test("lists the teams of the user, who owns a new one", async () => {
  await TeamFactory.make({ name: "Others" });
  const ada = await loggedIn({ admin: false });
  await ada.get("/teams/new");
  const list = await ada.follow(await ada.post("/teams", { name: "Ours" }));
  assert.match(list.body, />Ours</);
  assert.doesNotMatch(list.body, /Others/);
  const path = /\/teams\/[0-9a-f-]{36}/.exec(list.body)?.[0] ?? "";
  assert.equal((await ada.get(`${path}/edit`)).status, 200);
});

test("lets only administrators change labels", async () => {
  const { id } = await LabelFactory.make();
  const ada = await loggedIn({ admin: false });
  assert.equal((await ada.get(`/labels/${id}`)).status, 200);
  for (const path of ["/labels/new", `/labels/${id}/edit`]) assert.equal((await ada.get(path)).status, 403);
  await ada.get("/teams/new");
  assert.equal((await ada.delete(`/labels/${id}`)).status, 403);
  assert.equal((await (await loggedIn()).get(`/labels/${id}/edit`)).status, 200);
});
