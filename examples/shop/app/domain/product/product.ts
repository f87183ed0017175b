import type { Result } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Input, Product } from "./entity.ts";
import { products } from "./repository.ts";

export { categoryChoices, type Input, labelOf, type Product, schema } from "./entity.ts";

/** The written product, or an error message, or error messages by field. */
export type Outcome<T = Product> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

type Page = readonly [items: readonly Product[], total: number];

/** Finds a product by id. */
export async function find(id: string, options?: Options): Promise<Product | undefined> {
  return await products.findOpt(database, id, options);
}

/** Returns one page of the matching products, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters = {}, options?: Options): Promise<Page> {
  return await products.search(database, parameters, options);
}

/** Creates a product. */
export async function insert(input: Input, options?: Options): Promise<Outcome> {
  return write(() => products.insert(database, input, options), options);
}

/** Replaces the fields of a product. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(() => products.update(database, item, input, options), options);
}

/** Deletes a product, unless other entries refer to it. */
async function remove({ id }: Product, options?: Options): Promise<Outcome<void>> {
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => products.delete(database, item, options);
  const inUse = { ...refusals, foreignKey: "This product is still in use" };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

/** Errors for the violations of constraints. */
const refusals = {
  noRow: "This product no longer exists",
  unique: [{ columns: ["name"], refusal: { name: "This name is taken" } }],
} as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Product>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals, options);
