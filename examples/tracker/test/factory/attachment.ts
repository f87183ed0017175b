import { type Context, Random } from "limmat";
import type { Role } from "../../app/domain/team/entity.ts";
import { attachments } from "../../app/domain/attachment/repository.ts";
import { type Attachment, type Input, insert, type ListOptions } from "../../app/domain/attachment/attachment.ts";
import { database, user } from "../../service/service.ts";
import * as IssueFactory from "./issue.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: "First name",
    size: 7,
    file: "9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
    size: 42,
    file: "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
  };
}

/** Stores an issue, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await IssueFactory.context();
  const { id } = await IssueFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { issue: id } };
}

/** Stores an attachment. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Attachment> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Stores a user with a role for an attachment, and returns the context of this user's requests. */
export async function join(id: string, role: Role): Promise<Context> {
  const { issue_id } = await attachments.find(database, id);
  return IssueFactory.join(issue_id, role);
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
