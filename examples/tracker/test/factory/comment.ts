import { type Comment, type Input, insert, type ListOptions } from "../../app/domain/comment/comment.ts";
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
  return { params: { issue: (await IssueFactory.make()).id } };
}

/** Stores a comment. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<Comment> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
