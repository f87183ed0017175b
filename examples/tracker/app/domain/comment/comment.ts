import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { record } from "../activity/record.ts";
import * as Issue from "../issue/policy.ts";
import type { Comment, Input } from "./entity.ts";
import { policy } from "./policy.ts";
import { comments, relations } from "./repository.ts";

export { type Comment, type Input, labelOf, schema } from "./entity.ts";

/** The written comment, or an error message, or error messages by field. */
export type Outcome<T = Comment> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new comment. */
export interface ListOptions extends Options {
  readonly params: { readonly issue: string };
}

type Page = readonly [items: readonly Comment[], total: number];

/** Finds a comment by id. */
export async function find(id: string, options?: Options): Promise<Comment | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await comments.findOpt(database, where, { ...options, with: relations });
}

/** Returns one page of the matching comments, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ issue_id: options.params.issue }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where, with: relations };
  return await comments.search(database, parameters, searchOptions);
}

/** Creates a comment. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Issue.policy.require(database, actingUser(options), "see", options.params.issue, options);
  const values = { ...input, issue_id: options.params.issue, owner_id: actingUser(options).id };
  return write(async () => {
    const { id } = await comments.insert(database, values, options);
    const { issue, ...comment } = await comments.find(database, id, { ...options, with: [...relations, "issue"] });
    if (issue !== undefined) await record("commented", issue.title, issue.project_id, options);
    return comment;
  }, options);
}

/** Replaces the fields of a comment. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    await comments.update(database, item, input, options);
    return comments.find(database, id, { ...options, with: relations });
  }, options);
}

/** Deletes a comment, unless other entries refer to it. */
async function remove({ id }: Comment, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => comments.delete(database, item, options);
  const inUse = { ...refusals(), foreignKey: text.comment.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Returns the errors for the violations of constraints. */
const refusals = () => ({ noRow: text.comment.gone }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Comment>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
