import { error, type Result, type User } from "limmat";
import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";
import { database, user } from "../../../service/service.ts";
import { actingUser } from "../acting-user.ts";
import type { Employee, Input } from "./entity.ts";
import { employees, relations } from "./repository.ts";

export { type Employee, type Input, labelOf, roleChoices, schema } from "./entity.ts";

/** The written employee, or an error message, or error messages by field. */
export type Outcome<T = Employee> = Result<T, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

type Page = readonly [items: readonly Employee[], total: number];

/** Finds an employee by id. */
export async function find(id: string, options?: Options): Promise<Employee | undefined> {
  return await employees.findOpt(database, id, { ...options, with: relations });
}

/** Returns one page of the matching employees, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters = {}, options?: Options): Promise<Page> {
  const searchOptions = { ...options, with: relations };
  return await employees.search(database, parameters, searchOptions);
}

/** Creates an employee. */
export async function insert(input: Input, options?: Options): Promise<Outcome> {
  const errors = await choiceErrors(input, options);
  if (errors !== undefined) return error(errors);
  return write(async () => {
    const written = await employees.insert(database, input, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an employee. */
export async function update(id: string, input: Input, options?: Options): Promise<Outcome> {
  const stored = await employees.findOpt(database, id, { ...options, with: relations });
  if (stored === undefined) return error("This employee no longer exists");
  const errors = await choiceErrors(input, options, stored);
  if (errors !== undefined) return error(errors);
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const written = await employees.update(database, item, input, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an employee, unless other entries refer to it. */
async function remove({ id }: Employee, options?: Options): Promise<Outcome<void>> {
  const item = { id, version: options?.version ?? "any" } as const;
  const change = (): Promise<void> => employees.delete(database, item, options);
  const inUse = { ...refusals, foreignKey: "This employee is still in use" };
  return attempt(database, change, inUse, options);
}

export { remove as delete };

async function load(id: string, options?: Options): Promise<Employee> {
  return employees.find(database, id, { ...options, with: relations });
}

/**
 * Returns the users that a form offers: the user who acts, and to an administrator the newest 1,000.
 * Users who are chosen stay choices.
 */
export async function offeredUsers(options: Options | undefined, item?: Employee): Promise<readonly User.User[]> {
  const acting = await user.find(actingUser(options).id, options);
  const others = acting.admin ? (await user.search({ limit: 1000 }, options))[0] : [];
  const offered = [acting, ...others];
  const chosen = [item?.user];
  const users = [...offered, ...chosen].filter((person) => person !== undefined);
  return [...new Map(users.map((person) => [person.id, person])).values()];
}

/** Returns an error for each field with a choice that the form does not offer. */
async function choiceErrors(
  input: Input,
  options: Options | undefined,
  item?: Employee,
): Promise<Readonly<Record<string, string>> | undefined> {
  const offered = await offeredUsers(options, item);
  const userIds = new Set(offered.map(({ id }) => id));
  const errors: (readonly [field: string, message: string])[] = [];
  if (!userIds.has(input.user_id)) errors.push(["user_id", "Please choose from the list"]);
  return errors.length === 0 ? undefined : Object.fromEntries(errors);
}

/** Errors for the violations of constraints. */
const refusals = {
  noRow: "This employee no longer exists",
  foreignKey: { user_id: "This user does not exist" },
  unique: [{ columns: ["user_id"], refusal: { user_id: "This user is taken" } }],
} as const;

/** Runs a change in a transaction of its own, and returns violations of constraints as errors. */
const write = (change: () => Promise<Employee>, options?: Options): Promise<Outcome> =>
  attempt(database, change, refusals, options);
