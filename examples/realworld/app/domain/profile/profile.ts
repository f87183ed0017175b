import { error, ok, type Result } from "limmat";
import { isUniqueViolation } from "limmat/database";
import { database } from "../../../service/service.ts";
import { notFound, type FieldErrors } from "../errors.ts";
import type { ProfileInput, Profile } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { ProfileInput, Profile } from "./entity.ts";
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

export const insert = (user: string, details: ProfileInput): Promise<Result<ProfileInput, FieldErrors>> =>
  writeProfile(details, () => Repository.insert(user, details));

export const update = (user: string, details: ProfileInput): Promise<Result<ProfileInput, FieldErrors>> =>
  writeProfile(details, () => Repository.update(user, details));

/** Writes a profile. A nested transaction lets the outer one continue after a unique violation. */
async function writeProfile(
  details: ProfileInput,
  write: () => Promise<unknown>,
): Promise<Result<ProfileInput, FieldErrors>> {
  try {
    await database.transaction(write);
    return ok(details);
  } catch (failure) {
    if (isUniqueViolation(failure, "username")) return error({ username: "This name is taken" });
    throw failure;
  }
}
