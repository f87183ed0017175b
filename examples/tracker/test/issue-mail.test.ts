import assert from "node:assert/strict";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as ProjectFactory from "./factory/project.ts";
import { email, queue, user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("a new assignee gets one mail, after the commit, with a link to the issue", async () => {
  const context = await IssueFactory.context();
  const issue = await IssueFactory.make({ assignee_id: undefined }, context);
  const id = actingUser({ ctx: await ProjectFactory.join(context.params.project, "member") }).id;
  const assignee = await user.confirm({ id });
  const input = { ...(await IssueFactory.input(context)), title: "The door creaks", assignee_id: id };
  assert.ok((await Issue.update(issue.id, input, context)).ok);
  assert.deepEqual(email.inbox.to(assignee.email), []);

  await queue.runDue();
  assert.ok((await Issue.update(issue.id, { ...input, state: "closed" }, context)).ok);
  await queue.runDue();
  const mails = email.inbox.to(assignee.email);
  assert.equal(mails.length, 1);
  assert.ok(mails[0]?.text?.startsWith("The door creaks\n"));
  assert.ok(mails[0]?.text?.endsWith(`/issues/${issue.id}`));
});
