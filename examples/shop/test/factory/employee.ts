import { type Context, Random } from "limmat";
import { type Employee, type Input, insert, type Options } from "../../app/domain/employee/employee.ts";
import { user } from "../../service/service.ts";

/** Returns valid input. Values of unique fields differ from call to call. */
export async function input(changes: Partial<Input> = {}): Promise<Input> {
  return {
    user_id: await newUserId(),
    role: "packer",
    ...changes,
  };
}

/** Returns valid input with other values. */
export async function otherInput(): Promise<Input> {
  return {
    user_id: await newUserId(),
    role: "manager",
  };
}

/** Stores a user, and returns options that name the user. */
export async function context(): Promise<Options> {
  return { ctx: await newUserContext() };
}

/** Stores an employee. */
export async function make(changes: Partial<Input> = {}, options?: Options): Promise<Employee> {
  const result = await insert(await input(changes), options ?? (await context()));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Stores a user, and returns the context of this user's requests. Forms offer all users to an administrator. */
export async function newUserContext({ isAdmin = true } = {}): Promise<Context> {
  const person = { email: `${Random.hex(8)}@example.com`, password };
  const { id } = isAdmin ? await user.createAdmin(person) : await user.createUser(person);
  return [["user_id", id]];
}

/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: `${Random.hex(8)}@example.com`, password });
  return id;
}
