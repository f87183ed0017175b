import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Label from "../app/domain/label/label.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as LabelFactory from "./factory/label.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for a label that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: true },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} a label, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await LabelFactory.context();
    const item = await LabelFactory.make({}, context);
    const input = await LabelFactory.otherInput();
    const options = await optionsOf(role, item, context);
    assert.equal((await Label.find(item.id, options)) !== undefined, see);
    assert.equal((await Label.search({}, options))[1] > 0, see);
    const changes = [() => Label.update(item.id, input, options), () => Label.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the project add a label", async () => {
  const context = await LabelFactory.context();
  const input = await LabelFactory.input();
  const stranger = { ...context, ctx: await LabelFactory.newUserContext() };
  await assert.rejects(Label.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Label.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await LabelFactory.make();
  await assert.rejects(Label.find(id), /need the user/);
});

async function optionsOf(role: string, { id }: Label.Label, context: Label.ListOptions): Promise<Label.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => LabelFactory.join(id, "admin"),
    member: () => LabelFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => LabelFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
