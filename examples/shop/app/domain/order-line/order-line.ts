import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import * as Order from "../order/policy.ts";
import type { Input, OrderLine } from "./entity.ts";
import { policy } from "./policy.ts";
import { orderLines, relations } from "./repository.ts";

export { type Input, labelOf, type OrderLine, schema } from "./entity.ts";

/** The written order line, or an error message, or error messages by field. */
export type Outcome<T = OrderLine> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new order line. */
export interface ListOptions extends Options {
  readonly params: { readonly order: string };
}

type Page = readonly [items: readonly OrderLine[], total: number];

/** Finds an order line by id. */
export async function find(id: string, options?: Options): Promise<OrderLine | undefined> {
  const where = [{ id }, policy.where(actingUser(options))];
  return await orderLines.findOpt(database, where, { ...options, with: relations });
}

/** Returns one page of the matching order lines, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const where = [{ order_id: options.params.order }, policy.where(actingUser(options))];
  const searchOptions = { ...options, where, with: relations };
  return await orderLines.search(database, parameters, searchOptions);
}

/** Creates an order line. */
export async function insert(input: Input, options: ListOptions): Promise<Outcome> {
  await Order.policy.require(database, actingUser(options), "see", options.params.order, options);
  const values = { ...input, order_id: options.params.order };
  return write(async () => {
    const written = await orderLines.insert(database, values, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an order line. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await orderLines.update(database, item, input, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an order line, unless other entries refer to it. */
async function remove({ id }: OrderLine, options?: Options): Promise<Outcome<void>> {
  await policy.require(database, actingUser(options), "change", id, options);
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => orderLines.delete(database, item, options);
  const inUse = { ...refusals, foreignKey: "This order line is still in use" };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

async function load(id: string, options?: Options): Promise<OrderLine> {
  return orderLines.find(database, id, { ...options, with: relations });
}

/** Errors for the violations of constraints. */
const refusals = {
  noRow: "This order line no longer exists",
  foreignKey: { product_id: "This product does not exist" },
} as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<OrderLine>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals, options);
