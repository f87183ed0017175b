import { error, type Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { record } from "../activity/record.ts";
import type { Attachment, Input } from "./entity.ts";
import { deleteFilesOf } from "./files.ts";
import { mayChange, maySeeList, roleOf } from "./policy.ts";
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
  if ((await roleOf(id, actingUser(options), options)) === undefined) return undefined;
  return await attachments.findOpt(database, id, options);
}

/** Returns one page of the matching attachments, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const maySee = await maySeeList(options.params.issue, actingUser(options), options);
  if (!maySee) return [[], 0];
  const searchOptions = { ...options, where: { issue_id: options.params.issue } };
  return await attachments.search(database, parameters, searchOptions);
}

/** Creates an attachment. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const maySee = await maySeeList(options.params.issue, actingUser(options), options);
  if (!maySee) return error(text.issue.missing);
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
  const isPermitted = await mayChange(id, actingUser(options), options);
  if (!isPermitted) return error(text.attachment.mayNotChange);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => attachments.update(database, item, input, options), options);
}

/** Deletes an attachment, unless other entries refer to it. */
async function remove({ id }: Attachment, options?: Options): Promise<Outcome<void>> {
  const isPermitted = await mayChange(id, actingUser(options), options);
  if (!isPermitted) return error(text.attachment.mayNotDelete);
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
