import { error, type Result, type User } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { record } from "../activity/record.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import * as Project from "../project/policy.ts";
import type { Input, Issue, StoredRow } from "./entity.ts";
import { mailAssignee } from "./mail.ts";
import { policy } from "./policy.ts";
import { countLabels, issues, relations } from "./repository.ts";

export { type Input, type Issue, labelOf, schema, stateChoices } from "./entity.ts";

/** The written issue, or an error message, or error messages by field. */
export type Outcome<T = Issue> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new issue. */
export interface ListOptions extends Options {
  readonly params: { readonly project: string };
}

type Page = readonly [items: readonly Issue[], total: number];

/** Finds an issue by id. */
export async function find(id: string, options?: Options): Promise<Issue | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  const item = await issues.findOpt(database, where, { ...options, with: relations });
  return item && withIds(item);
}

/** Returns one page of the matching issues, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ project_id: options.params.project }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where, with: relations };
  const [found, total] = await issues.search(database, parameters, searchOptions);
  return [found.map(withIds), total];
}

/** Creates an issue. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Project.policy.require(database, actingUser(options), "see", options.params.project, options);
  const errors = await choiceErrors(input, options.params.project, options);
  if (errors !== undefined) return error(errors);
  const { label_ids, ...rest } = input;
  const values = { ...rest, project_id: options.params.project };
  return write(async () => {
    const written = await issues.insert(database, values, options);
    await record("opened", written.title, written.project_id, options);
    await mailAssignee(written, options);
    await links.labels.set(database, written, label_ids, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an issue. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const stored = await issues.findOpt(database, id, { ...options, with: relations });
  if (stored === undefined) return error(text.issue.gone);
  const errors = await choiceErrors(input, stored.project_id, options, stored);
  if (errors !== undefined) return error(errors);
  const { label_ids, ...rest } = input;
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await issues.update(database, item, rest, options);
    const isClosed = written.state === "closed" && stored.state === "open";
    await record(isClosed ? "closed" : "changed", written.title, written.project_id, options);
    if (written.assignee_id !== stored.assignee_id) await mailAssignee(written, options);
    await links.labels.set(database, written, label_ids, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an issue, unless other entries refer to it. */
async function remove({ id, title, project_id }: Issue, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = async (): Promise<void> => {
    await deleteFilesOf("issue", id, options);
    await issues.delete(database, item, options);
    await record("deleted", title, project_id, options);
  };
  const inUse = { ...refusals(), foreignKey: text.issue.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

const { links } = issues;

async function load(id: string, options?: Options): Promise<Issue> {
  return withIds(await issues.find(database, id, { ...options, with: relations }));
}

/** Adds the ids of the related entries, which the form shows. */
const withIds = (item: StoredRow): Issue => ({
  ...item,
  label_ids: item.labels.map(({ id }) => id),
});

/**
 * Returns the users that a form offers: those who see the project.
 * Users who are chosen stay choices.
 */
export async function offeredUsers(
  project_id: string,
  options: Options | undefined,
  item?: StoredRow,
): Promise<readonly User.User[]> {
  const offered = await Project.usersOf(project_id, options);
  const chosen = [item?.assignee];
  const users = [...offered, ...chosen].filter((person) => person !== undefined);
  return [...new Map(users.map((person) => [person.id, person])).values()];
}

/** Returns an error for each field with a choice that the form does not offer. */
async function choiceErrors(
  input: Input,
  project_id: string,
  options: Options | undefined,
  item?: StoredRow,
): Promise<Readonly<Record<string, string>> | undefined> {
  const offered = await offeredUsers(project_id, options, item);
  const userIds = new Set(offered.map(({ id }) => id));
  const errors: (readonly [field: string, message: string])[] = [];
  if (input.assignee_id !== undefined && !userIds.has(input.assignee_id))
    errors.push(["assignee_id", text.issue.chooseMember]);
  const labelsCount = await countLabels(database, { id: [...input.label_ids], project_id }, options);
  if (labelsCount < new Set(input.label_ids).size) errors.push(["label_ids", text.issue.chooseLabels]);
  return errors.length === 0 ? undefined : Object.fromEntries(errors);
}

/** Returns the errors for the violations of constraints. */
const refusals = () => ({ noRow: text.issue.gone, foreignKey: text.issue.unknownChoice }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Issue>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
