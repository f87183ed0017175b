import { Context, type ContextOptions, error, ok, Random, type Result, Time } from "limmat";
import type { Cursors, SearchParameters } from "limmat/database";
import type { Input, Note } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Input, Note } from "./entity.ts";
export { writersSince } from "./repository.ts";

// Whose notes are meant is a matter of the call: `{ ctx: [["user_id", id]] }`. Without it there are none.
const ownerOf = (options?: ContextOptions): string => {
  const owner = Context.find(options?.ctx, "user_id");
  if (owner === undefined) throw new TypeError("Notes belong to somebody: the context has no user_id");
  return owner;
};

export const find = (id: string, options?: ContextOptions): Promise<Note | undefined> =>
  Repository.find(id, ownerOf(options));

export const search = (
  parameters: SearchParameters,
  options?: ContextOptions,
): Promise<readonly [notes: readonly Note[], total: number, cursors: Cursors]> =>
  Repository.search(parameters, ownerOf(options));

export async function insert(input: Input, options?: ContextOptions): Promise<Result<Note>> {
  const now = Time.now();
  const note = { ...input, id: Random.uuid(), created_at: now, updated_at: now };
  await Repository.insert(note, ownerOf(options));
  return ok(note);
}

export async function update(id: string, input: Input, options?: ContextOptions): Promise<Result<Note>> {
  const note = await find(id, options);
  if (note === undefined) return error("This note does not exist any more");
  const updated = { ...note, ...input, updated_at: Time.now() };
  await Repository.update(updated, ownerOf(options));
  return ok(updated);
}

async function remove(note: Note): Promise<Result<undefined>> {
  await Repository.remove(note.id);
  return ok();
}

export { remove as delete };
