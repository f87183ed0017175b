import { error, ok, type Result } from "limmat";
import { isTaken } from "limmat/database";
import { database } from "../../../service/service.ts";
import { notFound, type Problems } from "../errors.ts";
import type { Details, Profile } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Details, Profile } from "./entity.ts";
export { findDetails } from "./repository.ts";

export async function find(username: string, viewer: string | undefined): Promise<Profile> {
  const profile = await Repository.find(username, viewer);
  if (profile === undefined) throw notFound("profile");
  return profile;
}

export async function follow(username: string, user: string): Promise<Profile> {
  await Repository.follow(username, user);
  return find(username, user);
}

export async function unfollow(username: string, user: string): Promise<Profile> {
  await Repository.unfollow(username, user);
  return find(username, user);
}

export const insert = (user: string, details: Details): Promise<Result<Details, Problems>> =>
  unlessTaken(details, () => Repository.insert(user, details));

export const update = (user: string, details: Details): Promise<Result<Details, Problems>> =>
  unlessTaken(details, () => Repository.update(user, details));

/** In a transaction of its own, so that one around it can go on when the name is taken. */
async function unlessTaken(details: Details, write: () => Promise<unknown>): Promise<Result<Details, Problems>> {
  try {
    await database.transaction(write);
    return ok(details);
  } catch (failure) {
    if (isTaken(failure, "username")) return error({ username: "Somebody else has this name" });
    throw failure;
  }
}
