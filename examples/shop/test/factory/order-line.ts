import { type Context, Random } from "limmat";
import { type Input, insert, type ListOptions, type OrderLine } from "../../app/domain/order-line/order-line.ts";
import { user } from "../../service/service.ts";
import * as OrderFactory from "./order.ts";
import * as ProductFactory from "./product.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    product_id: (await ProductFactory.make()).id,
    name: "First name",
    price: "12.50",
    count: 7,
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    product_id: (await ProductFactory.make()).id,
    name: "Second name",
    price: "99.90",
    count: 42,
  };
}

/** Stores an order, and returns options that name it. */
export async function context(): Promise<ListOptions> {
  const options = await OrderFactory.context();
  const { id } = await OrderFactory.make({}, options);
  return { ctx: options.ctx ?? [], params: { order: id } };
}

/** Stores an order, and returns options that name it and an employee. */
export async function employeeContext(): Promise<ListOptions> {
  const { params } = await context();
  return { ctx: [], ...(await OrderFactory.employeeContext()), params };
}

/** Stores an order line. */
export async function make(changes: Partial<Input> = {}, options?: ListOptions): Promise<OrderLine> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. */
export async function newUserContext(): Promise<Context> {
  return [["user_id", await newUserId()]];
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
