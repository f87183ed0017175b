import { error, isError, ok, type Result } from "limmat";
import { type SearchParameters } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Input, Todo } from "./entity.ts";
import { todos } from "./repository.ts";

export type { Input, Todo } from "./entity.ts";

export const find = (id: string): Promise<Todo | undefined> => todos.findOpt(database, id);

export const search = (parameters: SearchParameters): Promise<readonly [items: readonly Todo[], total: number]> =>
  todos.search(database, parameters);

export const insert = async (input: Input): Promise<Result<Todo>> => ok(await todos.insert(database, input));

export async function update(id: string, input: Input): Promise<Result<Todo>> {
  try {
    return ok(await todos.update(database, { id }, input));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This to-do no longer exists");
    throw thrown;
  }
}

async function remove({ id }: Todo): Promise<Result<undefined>> {
  await todos.delete(database, { id });
  return ok();
}

export { remove as delete };
