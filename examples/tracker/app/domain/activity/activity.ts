import { error, type Result, type User } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import * as Project from "../project/policy.ts";
import type { Activity, Input } from "./entity.ts";
import { policy } from "./policy.ts";
import { activities, relations } from "./repository.ts";

export { type Activity, eventChoices, type Input, labelOf, schema } from "./entity.ts";

/** The written activity, or an error message, or error messages by field. */
export type Outcome<T = Activity> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new activity. */
export interface ListOptions extends Options {
  readonly params: { readonly project: string };
}

type Page = readonly [items: readonly Activity[], total: number];

/** Finds an activity by id. */
export async function find(id: string, options?: Options): Promise<Activity | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await activities.findOpt(database, where, { ...options, with: relations });
}

/** Returns one page of the matching activities, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ project_id: options.params.project }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where, with: relations };
  return await activities.search(database, parameters, searchOptions);
}

/** Creates an activity. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Project.policy.require(database, actingUser(options), "see", options.params.project, options);
  const errors = await choiceErrors(input, options.params.project, options);
  if (errors !== undefined) return error(errors);
  const values = { ...input, project_id: options.params.project };
  return write(async () => {
    const written = await activities.insert(database, values, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an activity. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const stored = await activities.findOpt(database, id, { ...options, with: relations });
  if (stored === undefined) return error(text.activity.gone);
  const errors = await choiceErrors(input, stored.project_id, options, stored);
  if (errors !== undefined) return error(errors);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await activities.update(database, item, input, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an activity, unless other entries refer to it. */
async function remove({ id }: Activity, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => activities.delete(database, item, options);
  const inUse = { ...refusals(), foreignKey: text.activity.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

async function load(id: string, options?: Options): Promise<Activity> {
  return activities.find(database, id, { ...options, with: relations });
}

/**
 * Returns the users that a form offers: those who see the project.
 * Users who are chosen stay choices.
 */
export async function offeredUsers(
  project_id: string,
  options: Options | undefined,
  item?: Activity,
): Promise<readonly User.User[]> {
  const offered = await Project.usersOf(project_id, options);
  const chosen = [item?.actor];
  const users = [...offered, ...chosen].filter((person) => person !== undefined);
  return [...new Map(users.map((person) => [person.id, person])).values()];
}

/** Returns an error for each field with a choice that the form does not offer. */
async function choiceErrors(
  input: Input,
  project_id: string,
  options: Options | undefined,
  item?: Activity,
): Promise<Readonly<Record<string, string>> | undefined> {
  const offered = await offeredUsers(project_id, options, item);
  const userIds = new Set(offered.map(({ id }) => id));
  const errors: (readonly [field: string, message: string])[] = [];
  if (input.actor_id !== undefined && !userIds.has(input.actor_id))
    errors.push(["actor_id", text.activity.chooseMember]);
  return errors.length === 0 ? undefined : Object.fromEntries(errors);
}

/** Returns the errors for the violations of constraints. */
const refusals = () =>
  ({
    noRow: text.activity.gone,
    foreignKey: { actor_id: text.activity.unknownActor },
  }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Activity>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
