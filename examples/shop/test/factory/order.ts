import { type Context, Random } from "limmat";
import { type Input, insert, type Options, type Order } from "../../app/domain/order/order.ts";
import { appoint } from "../../app/domain/employee/role.ts";
import { user } from "../../service/service.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    name: "First name",
    street: "First street",
    zip: "First zip",
    city: "First city",
    state: "open",
    total: "12.50",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    name: "Second name",
    street: "Second street",
    zip: "Second zip",
    city: "Second city",
    state: "paid",
    total: "99.90",
  };
}

/** Stores a user, and returns options that name the user. */
export async function context(): Promise<Options> {
  return { ctx: await newUserContext() };
}

/** Stores an employee, and returns options that name the user. */
export async function employeeContext(): Promise<Options> {
  const user_id = await newUserId();
  await appoint(user_id, "packer");
  return { ctx: [["user_id", user_id]] };
}

/** Stores an order. */
export async function make(changes: Partial<Input> = {}, options?: Options): Promise<Order> {
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
