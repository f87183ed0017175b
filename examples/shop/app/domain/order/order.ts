import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import type { Input, Order } from "./entity.ts";
import { policy } from "./policy.ts";
import { orders } from "./repository.ts";

export { type Input, labelOf, type Order, schema, stateChoices } from "./entity.ts";

/** The written order, or an error message, or error messages by field. */
export type Outcome<T = Order> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

type Page = readonly [items: readonly Order[], total: number];

/** Finds an order by id. */
export async function find(id: string, options?: Options): Promise<Order | undefined> {
  return await orders.findOpt(database, [{ id }, policy.where(actingUser(options))], options);
}

/** Returns one page of the matching orders, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters = {}, options?: Options): Promise<Page> {
  const searchOptions = { ...options, where: policy.where(actingUser(options)) };
  return await orders.search(database, parameters, searchOptions);
}

/** Creates an order. */
export async function insert(input: Input, options?: Options): Promise<Outcome> {
  const values = { ...input, owner_id: actingUser(options).id };
  return write(() => orders.insert(database, values, options), options);
}

/** Replaces the fields of an order. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => orders.update(database, item, input, options), options);
}

/** Deletes an order, unless other entries refer to it. */
async function remove({ id }: Order, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => orders.delete(database, item, options);
  const inUse = { ...refusals, foreignKey: "This order is still in use" };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Errors for the violations of constraints. */
const refusals = { noRow: "This order no longer exists" } as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Order>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals, options);
