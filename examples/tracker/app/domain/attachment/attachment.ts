import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { record } from "../activity/record.ts";
import * as Issue from "../issue/policy.ts";
import type { Attachment, Input } from "./entity.ts";
import { deleteFilesOf } from "./files.ts";
import { policy } from "./policy.ts";
import { attachments } from "./repository.ts";

export { type Attachment, type Input, labelOf, schema } from "./entity.ts";

/** The written attachment, or an error message, or error messages by field. */
export type Outcome<T = Attachment> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new attachment. */
export interface ListOptions extends Options {
  readonly params: { readonly issue: string };
}

type Page = readonly [items: readonly Attachment[], total: number];

/** Finds an attachment by id. */
export async function find(id: string, options?: Options): Promise<Attachment | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await attachments.findOpt(database, where, options);
}

/** Returns one page of the matching attachments, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ issue_id: options.params.issue }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where };
  return await attachments.search(database, parameters, searchOptions);
}

/** Creates an attachment. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Issue.policy.require(database, actingUser(options), "see", options.params.issue, options);
  const values = { ...input, issue_id: options.params.issue };
  return write(async () => {
    const { id } = await attachments.insert(database, values, options);
    const { issue, ...attachment } = await attachments.find(database, id, { ...options, with: ["issue"] });
    if (issue !== undefined) await record("attached", issue.title, issue.project_id, options);
    return attachment;
  }, options);
}

/** Replaces the fields of an attachment. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => attachments.update(database, item, input, options), options);
}

/** Deletes an attachment, unless other entries refer to it. */
async function remove({ id }: Attachment, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = async (): Promise<void> => {
    await deleteFilesOf("attachment", id, options);
    await attachments.delete(database, item, options);
  };
  const inUse = { ...refusals(), foreignKey: text.attachment.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Returns the errors for the violations of constraints. */
const refusals = () => ({ noRow: text.attachment.gone }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Attachment>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
