import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as IssueFactory from "./factory/issue.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for an issue that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: true },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} an issue, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await IssueFactory.context();
    const item = await IssueFactory.make({}, context);
    const input = await IssueFactory.otherInput(context);
    const options = await optionsOf(role, item, context);
    assert.equal((await Issue.find(item.id, options)) !== undefined, see);
    assert.equal((await Issue.search({}, options))[1] > 0, see);
    const changes = [() => Issue.update(item.id, input, options), () => Issue.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the project add an issue", async () => {
  const context = await IssueFactory.context();
  const input = await IssueFactory.input(context);
  const stranger = { ...context, ctx: await IssueFactory.newUserContext() };
  await assert.rejects(Issue.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Issue.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await IssueFactory.make();
  await assert.rejects(Issue.find(id), /need the user/);
});

async function optionsOf(role: string, { id }: Issue.Issue, context: Issue.ListOptions): Promise<Issue.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => IssueFactory.join(id, "admin"),
    member: () => IssueFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => IssueFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
