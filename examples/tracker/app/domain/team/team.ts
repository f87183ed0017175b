import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import type { Input, Team } from "./entity.ts";
import { policy } from "./policy.ts";
import { teamMembers, teams } from "./repository.ts";

export { type Input, labelOf, schema, type Team } from "./entity.ts";

/** The written team, or an error message, or error messages by field. */
export type Outcome<T = Team> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

type Page = readonly [items: readonly Team[], total: number];

/** Finds a team by id. */
export async function find(id: string, options?: Options): Promise<Team | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await teams.findOpt(database, where, options);
}

/** Returns one page of the matching teams, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters = {}, options?: Options): Promise<Page> {
  const searchOptions = { ...options, where: policy.where(actingUser(options)) };
  return await teams.search(database, parameters, searchOptions);
}

/** Creates a team. */
export async function insert(input: Input, options?: Options): Promise<Outcome> {
  const user_id = actingUser(options).id;
  return write(async () => {
    const written = await teams.insert(database, input, options);
    const admin = { team_id: written.id, user_id, role: "admin" } as const;
    await Policy.unchecked("creators are admins", () => teamMembers.insert(database, admin, options));
    return written;
  }, options);
}

/** Replaces the fields of a team. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => teams.update(database, item, input, options), options);
}

/** Deletes a team, unless other entries refer to it. */
async function remove({ id }: Team, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = async (): Promise<void> => {
    await deleteFilesOf("team", id, options);
    await teams.delete(database, item, options);
  };
  const inUse = { ...refusals(), foreignKey: text.team.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Returns the errors for the violations of constraints. */
const refusals = () => ({ noRow: text.team.gone }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Team>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
