import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import * as Team from "../team/policy.ts";
import type { Input, Project } from "./entity.ts";
import { policy } from "./policy.ts";
import { projects } from "./repository.ts";

export { type Input, labelOf, type Project, schema } from "./entity.ts";

/** The written project, or an error message, or error messages by field. */
export type Outcome<T = Project> = Result<T, string | Readonly<Record<string, string>>>;

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
  const where = [{ id }, policy.where(actingUser(options))];
  return await projects.findOpt(database, where, options);
}

/** Returns one page of the matching projects, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ team_id: options.params.team }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where };
  return await projects.search(database, parameters, searchOptions);
}

/** Creates a project. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Team.policy.require(database, actingUser(options), "see", options.params.team, options);
  const values = { ...input, team_id: options.params.team };
  return write(() => projects.insert(database, values, options), options);
}

/** Replaces the fields of a project. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => projects.update(database, item, input, options), options);
}

/** Deletes a project, unless other entries refer to it. */
async function remove({ id }: Project, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = async (): Promise<void> => {
    await deleteFilesOf("project", id, options);
    await projects.delete(database, item, options);
  };
  const inUse = { ...refusals(), foreignKey: text.project.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Returns the errors for the violations of constraints. */
const refusals = () => ({ noRow: text.project.gone }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Project>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
