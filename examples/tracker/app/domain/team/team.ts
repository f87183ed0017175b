import { Context, error, isError, ok, type Result } from "limmat";
import { type AnySearchParameters, type OperationOptions, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import { memberships } from "../membership/entity.ts";
import { type Input, type Team, teams } from "./entity.ts";

export { type Input, labelOf, schema, type Team } from "./entity.ts";

/** The written team, or an error message, or error messages by field. */
export type Outcome = Result<Team, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

type Page = readonly [items: readonly Team[], total: number];

/** Finds a team by id. */
export async function find(id: string, options?: Options): Promise<Team | undefined> {
  return teams.findOpt(database, id, options);
}

/** Returns one page of the matching teams, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters = {}, options?: Options): Promise<Page> {
  const user_id = Context.get(options?.ctx, "user_id");
  const isRestricted = user_id !== undefined && Context.get(options?.ctx, "admin") !== "true";
  const where = isRestricted
    ? { where: sql`id in (select team_id from memberships where member_id = ${user_id})` }
    : {};
  return teams.search(database, parameters, { ...options, ...where });
}

/** Creates a team, whose owner is the current user. */
export async function insert(input: Input, options?: Options): Promise<Outcome> {
  const user_id = Context.get(options?.ctx, "user_id");
  return write(async () => {
    const team = await teams.insert(database, input, options);
    const membership = { member_id: user_id ?? "", role: "owner", team_id: team.id } as const;
    if (user_id !== undefined) await memberships.insert(database, membership, options);
    return team;
  }, options);
}

/** Replaces the fields of a team. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => teams.update(database, item, input, options), options);
}

/** Deletes a team, unless other entries refer to it. */
async function remove({ id }: Team, options?: Options): Promise<Result<undefined>> {
  const item = { id, version: options?.version ?? "any" } as const;
  try {
    await database.transaction(async () => {
      await deleteFilesOf("team", id, options);
      await teams.delete(database, item, options);
    }, options);
    return ok();
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) return error("This team is still in use");
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This team no longer exists");
    throw thrown;
  }
}

export { remove as delete };

/**
 * Runs a write and returns constraint violations as errors. The write runs in a transaction of its own, so that an
 * outer transaction can continue after a violation.
 */
async function write(change: () => Promise<Team>, options?: Options): Promise<Outcome> {
  try {
    return ok(await database.transaction(change, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This team no longer exists");
    throw thrown;
  }
}
