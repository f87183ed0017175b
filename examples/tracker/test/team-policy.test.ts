import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Team from "../app/domain/team/team.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as TeamFactory from "./factory/team.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for a team that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: false },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} a team, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await TeamFactory.context();
    const item = await TeamFactory.make({}, context);
    const input = await TeamFactory.otherInput();
    const options = await optionsOf(role, item, context);
    assert.equal((await Team.find(item.id, options)) !== undefined, see);
    assert.equal((await Team.search({}, options))[1] > 0, see);
    const changes = [() => Team.update(item.id, input, options), () => Team.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("nothing is permitted without a user", async () => {
  const { id } = await TeamFactory.make();
  await assert.rejects(Team.find(id), /need the user/);
});

async function optionsOf(role: string, { id }: Team.Team, context: Team.Options): Promise<Team.Options> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => TeamFactory.join(id, "admin"),
    member: () => TeamFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => TeamFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
