import { error, isError, ok, type Result } from "limmat";
import type { AnySearchParameters, OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { activities, type Activity, type Input, relations } from "./entity.ts";

export { type Activity, eventChoices, type Input, labelOf, schema } from "./entity.ts";

/** The written activity, or an error message, or error messages by field. */
export type Outcome = Result<Activity, string | Readonly<Record<string, string>>>;

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
  return activities.findOpt(database, id, { ...options, with: relations });
}

/** Returns one page of the matching activities, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const searchOptions = { ...options, where: { project_id: options.params.project }, with: relations };
  return activities.search(database, parameters, searchOptions);
}

/** Creates an activity. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const values = { ...input, project_id: options.params.project };
  return write(async () => {
    const written = await activities.insert(database, values, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an activity. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await activities.update(database, item, input, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an activity, unless other entries refer to it. */
async function remove({ id }: Activity, options?: Options): Promise<Result<undefined>> {
  const item = { id, version: options?.version ?? "any" } as const;
  try {
    await database.transaction(() => activities.delete(database, item, options), options);
    return ok();
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) return error("This activity is still in use");
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This activity no longer exists");
    throw thrown;
  }
}

export { remove as delete };

async function load(id: string, options?: Options): Promise<Activity> {
  return activities.find(database, id, { ...options, with: relations });
}

/**
 * Runs a write and returns constraint violations as errors. The write runs in a transaction of its own, so that an
 * outer transaction can continue after a violation.
 */
async function write(change: () => Promise<Activity>, options?: Options): Promise<Outcome> {
  try {
    return ok(await database.transaction(change, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This activity no longer exists");
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) {
      return error({ actor_id: "This actor does not exist" });
    }
    throw thrown;
  }
}
