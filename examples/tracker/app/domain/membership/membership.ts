import { error, isError, ok, type Result } from "limmat";
import type { AnySearchParameters, OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { type Input, type Membership, memberships, relations } from "./entity.ts";

export { type Input, labelOf, type Membership, roleChoices, schema } from "./entity.ts";

/** The written membership, or an error message, or error messages by field. */
export type Outcome = Result<Membership, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new membership. */
export interface ListOptions extends Options {
  readonly params: { readonly team: string };
}

type Page = readonly [items: readonly Membership[], total: number];

/** Finds a membership by id. */
export async function find(id: string, options?: Options): Promise<Membership | undefined> {
  return memberships.findOpt(database, id, { ...options, with: relations });
}

/** Returns one page of the matching memberships, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const searchOptions = { ...options, where: { team_id: options.params.team }, with: relations };
  return memberships.search(database, parameters, searchOptions);
}

/** Creates a membership. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const values = { ...input, team_id: options.params.team };
  return write(async () => {
    const written = await memberships.insert(database, values, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of a membership. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await memberships.update(database, item, input, options);
    return load(written.id, options);
  }, options);
}

/** Deletes a membership, unless other entries refer to it. */
async function remove({ id }: Membership, options?: Options): Promise<Result<undefined>> {
  const item = { id, version: options?.version ?? "any" } as const;
  try {
    await database.transaction(() => memberships.delete(database, item, options), options);
    return ok();
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) return error("This membership is still in use");
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This membership no longer exists");
    throw thrown;
  }
}

export { remove as delete };

async function load(id: string, options?: Options): Promise<Membership> {
  return memberships.find(database, id, { ...options, with: relations });
}

/**
 * Runs a write and returns constraint violations as errors. The write runs in a transaction of its own, so that an
 * outer transaction can continue after a violation.
 */
async function write(change: () => Promise<Membership>, options?: Options): Promise<Outcome> {
  try {
    return ok(await database.transaction(change, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This membership no longer exists");
    if (isError(thrown, "E_DATABASE_UNIQUE")) {
      return error({ member_id: "This member is taken" });
    }
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) {
      return error({ member_id: "This member does not exist" });
    }
    throw thrown;
  }
}
