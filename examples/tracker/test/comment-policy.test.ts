import assert from "node:assert/strict";
import type { Context } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Comment from "../app/domain/comment/comment.ts";
import { teamMembers } from "../app/domain/team/repository.ts";
import * as CommentFactory from "./factory/comment.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Permissions for a comment that another user has created. */
const permissions = {
  creator: { see: true, change: true },
  admin: { see: true, change: true },
  member: { see: true, change: false },
  leaver: { see: false, change: false },
  stranger: { see: false, change: false },
} as const;

for (const [role, { see, change }] of Object.entries(permissions)) {
  test(`${role}: ${see ? "sees" : "does not see"} a comment, ${change ? "changes" : "does not change"} it`, async () => {
    const context = await CommentFactory.context();
    const item = await CommentFactory.make({}, context);
    const input = await CommentFactory.otherInput();
    const options = await optionsOf(role, item, context);
    assert.equal((await Comment.find(item.id, options)) !== undefined, see);
    assert.equal((await Comment.search({}, options))[1] > 0, see);
    const changes = [() => Comment.update(item.id, input, options), () => Comment.delete(item, options)];
    for (const act of changes) {
      if (change) assert.ok((await act()).ok);
      else await assert.rejects(act, { code: see ? "E_POLICY_REFUSED" : "E_POLICY_NO_ROW" });
    }
  });
}

test("only users who see the issue add a comment", async () => {
  const context = await CommentFactory.context();
  const input = await CommentFactory.input();
  const stranger = { ...context, ctx: await CommentFactory.newUserContext() };
  await assert.rejects(Comment.insert(input, stranger), { code: "E_POLICY_NO_ROW" });
  assert.ok((await Comment.insert(input, context)).ok);
});

test("nothing is permitted without a user", async () => {
  const { id } = await CommentFactory.make();
  await assert.rejects(Comment.find(id), /need the user/);
});

async function optionsOf(
  role: string,
  { id }: Comment.Comment,
  context: Comment.ListOptions,
): Promise<Comment.ListOptions> {
  const ctx: Record<string, () => Context | undefined | Promise<Context | undefined>> = {
    creator: () => context.ctx,
    admin: () => CommentFactory.join(id, "admin"),
    member: () => CommentFactory.join(id, "member"),
    // The creator, who has left.
    leaver: async () => {
      const membership = await teamMembers.find(database, { user_id: actingUser(context).id });
      await teamMembers.delete(database, membership);
      return context.ctx;
    },
    stranger: () => CommentFactory.newUserContext(),
  };
  return { ...context, ctx: (await ctx[role]?.()) ?? [] };
}
