import { queryLimit } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Comment from "../app/domain/comment/comment.ts";
import { policy } from "../app/domain/comment/policy.ts";
import * as CommentFactory from "./factory/comment.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

test("the rights of a comment, three levels below its team, add no statement to reading and one to a change", async () => {
  const context = await CommentFactory.context();
  const { id } = await CommentFactory.make({}, context);
  await CommentFactory.make({}, context);
  // The comments and their owners.
  await queryLimit(2, () => Comment.search({}, context));
  await queryLimit(2, () => Comment.find(id, context));
  await queryLimit(1, () => policy.require(database, actingUser(context), "change", id, context));
  // The user, the issue with its assignee and labels, the comments with their owners, and the buttons of all comments.
  const alice = await loggedIn(context);
  await queryLimit(7, () => alice.get(`/issues/${context.params.issue}/comments`));
});
