import { type Context, Random } from "limmat";
import type { Role } from "../../app/domain/team/entity.ts";
import { comments } from "../../app/domain/comment/repository.ts";
import { type Comment, type Input, insert, type ListOptions } from "../../app/domain/comment/comment.ts";
import { database, user } from "../../service/service.ts";
import * as IssueFactory from "./issue.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    text: "First text",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    text: "Second text",
  };
}

/** Stores an issue, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await IssueFactory.context();
  const { id } = await IssueFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { issue: id } };
}

/** Stores a comment. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Comment> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for a comment, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const { issue_id } = await comments.find(database, id);
  return IssueFactory.join(issue_id, role);
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
