import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Project from "../app/domain/project/project.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as ProjectFactory from "./factory/project.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for a project that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: true },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} a project, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await ProjectFactory.context();
    const item = await ProjectFactory.make({}, context);
    const input = await ProjectFactory.otherInput();
    const options = await optionsOf(role, item, context);
    assert.equal((await Project.find(item.id, options)) !== undefined, see);
    assert.equal((await Project.search({}, options))[1] > 0, see);
    const changes = [() => Project.update(item.id, input, options), () => Project.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the team add a project", async () => {
  const context = await ProjectFactory.context();
  const input = await ProjectFactory.input();
  const stranger = { ...context, ctx: await ProjectFactory.newUserContext() };
  await assert.rejects(Project.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Project.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await ProjectFactory.make();
  await assert.rejects(Project.find(id), /need the user/);
});

async function optionsOf(
  role: string,
  { id }: Project.Project,
  context: Project.ListOptions,
): Promise<Project.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => ProjectFactory.join(id, "admin"),
    member: () => ProjectFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => ProjectFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
