import { error, ok, Random, type Result, Time } from "limmat";
import { type SearchParameters } from "limmat/database";
import type { Input, Todo } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Input, Todo } from "./entity.ts";

export const find = (id: string): Promise<Todo | undefined> => Repository.find(id);

export const search = (parameters: SearchParameters): Promise<readonly [items: readonly Todo[], total: number]> =>
  Repository.search(parameters);

export async function insert(input: Input): Promise<Result<Todo>> {
  const now = Time.now();
  const todo = { ...input, id: Random.uuid(), created_at: now, updated_at: now };
  await Repository.insert(todo);
  return ok(todo);
}

export async function update(id: string, input: Input): Promise<Result<Todo>> {
  const current = await Repository.find(id);
  if (current === undefined) return error("This to-do no longer exists");
  const updated = { ...current, ...input, updated_at: Time.now() };
  await Repository.update(updated);
  return ok(updated);
}

async function remove(todo: Todo): Promise<Result<undefined>> {
  await Repository.remove(todo.id);
  return ok();
}

export { remove as delete };
