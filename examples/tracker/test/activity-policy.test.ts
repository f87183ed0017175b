import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Activity from "../app/domain/activity/activity.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as ActivityFactory from "./factory/activity.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for an activity that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: true },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} an activity, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await ActivityFactory.context();
    const item = await ActivityFactory.make({}, context);
    const input = await ActivityFactory.otherInput(context);
    const options = await optionsOf(role, item, context);
    assert.equal((await Activity.find(item.id, options)) !== undefined, see);
    assert.equal((await Activity.search({}, options))[1] > 0, see);
    const changes = [() => Activity.update(item.id, input, options), () => Activity.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the project add an activity", async () => {
  const context = await ActivityFactory.context();
  const input = await ActivityFactory.input(context);
  const stranger = { ...context, ctx: await ActivityFactory.newUserContext() };
  await assert.rejects(Activity.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Activity.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await ActivityFactory.make();
  await assert.rejects(Activity.find(id), /need the user/);
});

async function optionsOf(
  role: string,
  { id }: Activity.Activity,
  context: Activity.ListOptions,
): Promise<Activity.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => ActivityFactory.join(id, "admin"),
    member: () => ActivityFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => ActivityFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
