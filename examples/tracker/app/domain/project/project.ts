import { error, isError, ok, type Result } from "limmat";
import type { AnySearchParameters, OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import { type Input, type Project, projects } from "./entity.ts";

export { type Input, labelOf, type Project, schema } from "./entity.ts";

/** The written project, or an error message, or error messages by field. */
export type Outcome = Result<Project, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new project. */
export interface ListOptions extends Options {
  readonly params: { readonly team: string };
}

type Page = readonly [items: readonly Project[], total: number];

/** Finds a project by id. */
export async function find(id: string, options?: Options): Promise<Project | undefined> {
  return projects.findOpt(database, id, options);
}

/** Returns one page of the matching projects, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const searchOptions = { ...options, where: { team_id: options.params.team } };
  return projects.search(database, parameters, searchOptions);
}

/** Creates a project. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  const values = { ...input, team_id: options.params.team };
  return write(() => projects.insert(database, values, options), options);
}

/** Replaces the fields of a project. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => projects.update(database, item, input, options), options);
}

/** Deletes a project, unless other entries refer to it. */
async function remove({ id }: Project, options?: Options): Promise<Result<undefined>> {
  const item = { id, version: options?.version ?? "any" } as const;
  try {
    await database.transaction(async () => {
      await deleteFilesOf("project", id, options);
      await projects.delete(database, item, options);
    }, options);
    return ok();
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) return error("This project is still in use");
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This project no longer exists");
    throw thrown;
  }
}

export { remove as delete };

/**
 * Runs a write and returns constraint violations as errors. The write runs in a transaction of its own, so that an
 * outer transaction can continue after a violation.
 */
async function write(change: () => Promise<Project>, options?: Options): Promise<Outcome> {
  try {
    return ok(await database.transaction(change, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This project no longer exists");
    throw thrown;
  }
}
