import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import * as Project from "../project/policy.ts";
import type { Input, Label } from "./entity.ts";
import { policy } from "./policy.ts";
import { labels } from "./repository.ts";

export { type Input, type Label, labelOf, schema } from "./entity.ts";

/** The written label, or an error message, or error messages by field. */
export type Outcome<T = Label> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new label. */
export interface ListOptions extends Options {
  readonly params: { readonly project: string };
}

type Page = readonly [items: readonly Label[], total: number];

/** Finds a label by id. */
export async function find(id: string, options?: Options): Promise<Label | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await labels.findOpt(database, where, options);
}

/** Returns one page of the matching labels, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ project_id: options.params.project }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where };
  return await labels.search(database, parameters, searchOptions);
}

/** Creates a label. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Project.policy.require(database, actingUser(options), "see", options.params.project, options);
  const values = { ...input, project_id: options.params.project };
  return write(() => labels.insert(database, values, options), options);
}

/** Replaces the fields of a label. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => labels.update(database, item, input, options), options);
}

/** Deletes a label, unless other entries refer to it. */
async function remove({ id }: Label, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => labels.delete(database, item, options);
  const inUse = { ...refusals(), foreignKey: text.label.inUse };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Returns the errors for the violations of constraints. */
const refusals = () =>
  ({
    noRow: text.label.gone,
    unique: [{ columns: ["name", "project_id"], refusal: { name: text.label.taken } }],
  }) as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Label>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals(), options);
