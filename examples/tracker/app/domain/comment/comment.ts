import { error, type Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { record } from "../activity/record.ts";
import type { Comment, Input } from "./entity.ts";
import { mayChange, maySeeList, roleOf } from "./policy.ts";
import { comments, relations } from "./repository.ts";

export { type Comment, type Input, labelOf, schema } from "./entity.ts";
export { changeableIds } from "./policy.ts";

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
  if ((await roleOf(id, actingUser(options), options)) === undefined) return undefined;
  return await comments.findOpt(database, id, { ...options, with: relations });
}

/** Returns one page of the matching comments, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const maySee = await maySeeList(options.params.issue, actingUser(options), options);
  if (!maySee) return [[], 0];
  const searchOptions = { ...options, where: { issue_id: options.params.issue }, with: relations };
  return await comments.search(database, parameters, searchOptions);
}

/** Creates a comment. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const user_id = actingUser(options);
  const maySee = await maySeeList(options.params.issue, actingUser(options), options);
  if (!maySee) return error(text.issue.missing);
  const values = { ...input, issue_id: options.params.issue, owner_id: user_id };
  return write(async () => {
    const { id } = await comments.insert(database, values, options);
    const { issue, ...comment } = await comments.find(database, id, { ...options, with: [...relations, "issue"] });
    if (issue !== undefined) await record("commented", issue.title, issue.project_id, options);
    return comment;
  }, options);
}

/** Replaces the fields of a comment. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const isPermitted = await mayChange(id, actingUser(options), options);
  if (!isPermitted) return error(text.comment.mayNotChange);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    await comments.update(database, item, input, options);
    return comments.find(database, id, { ...options, with: relations });
  }, options);
}

/** Deletes a comment, unless other entries refer to it. */
async function remove({ id }: Comment, options?: Options): Promise<Outcome<void>> {
  const isPermitted = await mayChange(id, actingUser(options), options);
  if (!isPermitted) return error(text.comment.mayNotDelete);
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
