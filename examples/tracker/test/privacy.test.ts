import assert from "node:assert/strict";
import { actingUser } from "../app/domain/acting-user.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

test("the members of a team see names instead of addresses", async () => {
  const creator = await TeamFactory.context();
  const { email, id: assignee_id } = await user.find(actingUser(creator).id);
  assert.ok((await user.update({ id: assignee_id }, { name: "Ada" })).ok);
  const team = await TeamFactory.make({}, creator);
  const project = await ProjectFactory.make({}, { ...creator, params: { team: team.id } });
  const issue = await IssueFactory.make({ assignee_id }, { ...creator, params: { project: project.id } });
  const comment = await CommentFactory.make({}, { ...creator, params: { issue: issue.id } });
  const ctx = await TeamFactory.join(team.id, "member");
  const alan = await loggedIn({ ctx });

  const paths = [`/issues/${issue.id}`, `/issues/${issue.id}/comments`, `/comments/${comment.id}`];
  for (const path of [...paths, `/projects/${project.id}/activities`]) {
    const { status, body } = await alan.get(path);
    assert.equal(status, 200, path);
    assert.match(body, />Ada</, path);
    assert.ok(!body.includes(email), path);
  }
  const file = await alan.get(`/projects/${project.id}/issues.csv?state=open`);
  assert.match(file.body, /"Title","State","Assignee","Labels","Added"\r\n"First title","Open","Ada",/);
  assert.ok(!file.body.includes(email));
});
