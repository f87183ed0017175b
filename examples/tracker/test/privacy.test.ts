import assert from "node:assert/strict";
import type { Context } from "limmat";
import { visitor } from "limmat/testing";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Membership from "../app/domain/membership/membership.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

test("a guest sees names, but no address of another person", async () => {
  const { id: team } = await TeamFactory.make();
  const { id: project } = await ProjectFactory.make({}, { params: { team } });
  const ada = await user.createUser({ email: "ada@secret.example", name: "Ada" });
  const alan = await loggedIn({ admin: false });
  for (const [member_id, role] of [
    [ada.id, "owner"],
    [alan.user.id, "guest"],
  ] as const) {
    assert.ok((await Membership.insert({ member_id, role }, { params: { team } })).ok);
  }
  const ctx: Context = [["user_id", ada.id]];
  const input = { title: "Title", body: undefined, state: "open", assignee_id: ada.id, label_ids: [] } as const;
  const issue = await Issue.insert(input, { ctx, params: { project } });
  assert.ok(issue.ok);
  const comment = await Comment.insert({ text: "Text" }, { ctx, params: { issue: issue.value.id } });
  assert.ok(comment.ok);

  const lists = [`/teams/${team}/memberships`, `/projects/${project}/issues`, `/projects/${project}/activities`];
  const issuePath = `/issues/${issue.value.id}`;
  for (const path of [...lists, issuePath, `${issuePath}/comments`, `/comments/${comment.value.id}`]) {
    const { status, body } = await alan.get(path);
    assert.equal(status, 200, path);
    assert.match(body, />Ada</, path);
    assert.doesNotMatch(body, /@/, path);
  }
  const file = await alan.get(`/projects/${project}/issues.csv?state=open`);
  assert.match(file.body, /^\ufeff?"Title","State","Assignee","Labels","Added"\r\n"Title","open","Ada",/);
});

test("a person without a name is shown without the address", async () => {
  const { id: team } = await TeamFactory.make();
  const ada = await loggedIn({ admin: false });
  assert.ok((await Membership.insert({ member_id: ada.user.id, role: "guest" }, { params: { team } })).ok);
  const { body } = await ada.get(`/teams/${team}/memberships`);
  assert.match(body, new RegExp(`>Person ${ada.user.id.slice(0, 4)}<`));
  assert.doesNotMatch(body, /@/);
});

test("a person registers with the name that the teams see", async () => {
  const grace = visitor(app);
  await grace.get("/register");
  const password = "a meadow of cats";
  const form = { name: "Grace", email: "grace@example.com", password, confirmation: password };
  assert.equal((await grace.post("/register", form)).status, 303);
  assert.equal((await user.findByEmailOpt("grace@example.com"))?.name, "Grace");
});
