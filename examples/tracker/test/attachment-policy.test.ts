import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as AttachmentFactory from "./factory/attachment.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for an attachment that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: true },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} an attachment, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await AttachmentFactory.context();
    const item = await AttachmentFactory.make({}, context);
    const input = await AttachmentFactory.otherInput();
    const options = await optionsOf(role, item, context);
    assert.equal((await Attachment.find(item.id, options)) !== undefined, see);
    assert.equal((await Attachment.search({}, options))[1] > 0, see);
    const changes = [() => Attachment.update(item.id, input, options), () => Attachment.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the issue add an attachment", async () => {
  const context = await AttachmentFactory.context();
  const input = await AttachmentFactory.input();
  const stranger = { ...context, ctx: await AttachmentFactory.newUserContext() };
  await assert.rejects(Attachment.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Attachment.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await AttachmentFactory.make();
  await assert.rejects(Attachment.find(id), /need the user/);
});

async function optionsOf(
  role: string,
  { id }: Attachment.Attachment,
  context: Attachment.ListOptions,
): Promise<Attachment.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => AttachmentFactory.join(id, "admin"),
    member: () => AttachmentFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => AttachmentFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
