import { Context, type ContextOptions, error, ok, Random, type Result, Time } from "limmat";
import type { SearchCursors, SearchParameters } from "limmat/database";
import type { Input, Note } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Input, Note } from "./entity.ts";
export { writersSince } from "./repository.ts";

/** Returns the owner of the notes from the call context: `{ ctx: [["user_id", id]] }`. */
const ownerOf = (options?: ContextOptions): string => {
  const owner = Context.get(options?.ctx, "user_id");
  if (owner === undefined) throw new TypeError("The context has no user_id, the owner of the notes");
  return owner;
};

export const find = (id: string, options?: ContextOptions): Promise<Note | undefined> =>
  Repository.find(id, ownerOf(options));

export const search = (
  parameters: SearchParameters,
  options?: ContextOptions,
): Promise<readonly [notes: readonly Note[], total: number, cursors: SearchCursors]> =>
  Repository.search(parameters, ownerOf(options));

export async function insert(input: Input, options?: ContextOptions): Promise<Result<Note>> {
  const now = Time.now();
  const note = { ...input, id: Random.uuid(), created_at: now, updated_at: now };
  await Repository.insert(note, ownerOf(options));
  return ok(note);
}

export async function update(id: string, input: Input, options?: ContextOptions): Promise<Result<Note>> {
  const current = await find(id, options);
  if (current === undefined) return error("This note no longer exists");
  const updated = { ...current, ...input, updated_at: Time.now() };
  await Repository.update(updated, ownerOf(options));
  return ok(updated);
}

async function remove(note: Note): Promise<Result<undefined>> {
  await Repository.remove(note.id);
  return ok();
}

export { remove as delete };
