import { ok, type Result, Time, type User } from "limmat";
import { database, token, user } from "../../../service/service.ts";
import type { Problems } from "../errors.ts";
import * as Profile from "../profile/profile.ts";
import type { Account, Changes, Registration } from "./entity.ts";

export type { Account, Changes, Registration } from "./entity.ts";

/** Adds a user and the profile, both or none. */
export const register = (registration: Registration): Promise<Result<Account, Problems>> =>
  database.transaction(async () => {
    const { username, email, password } = registration;
    const registered = await user.registerUser({ email, password, confirmation: password });
    if (!registered.ok) return registered;
    const profile = await Profile.insert(registered.value.id, { username, bio: "", image: "" });
    return profile.ok ? ok(accountOf(registered.value, profile.value)) : profile;
  });

export async function login(email: string, password: string): Promise<Account | undefined> {
  const result = await user.login(email, password);
  return result.ok ? find(result.value) : undefined;
}

export const find = async (owner: User.User): Promise<Account> => accountOf(owner, await Profile.findDetails(owner.id));

/** Changes what is given, all of it or nothing. Another password ends all tokens of the account. */
export const update = (
  owner: User.User,
  { email, password, ...details }: Changes,
): Promise<Result<Account, Problems>> =>
  database.transaction(async () => {
    if (password !== undefined) {
      const changed = await user.setPassword(owner, { password, confirmation: password });
      if (!changed.ok) return changed;
      await token.deactivateAll({ owner: owner.id, purpose });
    }
    const updated = await user.update(owner, { email });
    if (!updated.ok) return updated;
    const profile = await Profile.update(owner.id, { ...(await Profile.findDetails(owner.id)), ...details });
    return profile.ok ? ok(accountOf(updated.value, profile.value)) : profile;
  });

const purpose = "api";

export const createToken = ({ id }: Account): Promise<string> =>
  token.create({}, { purpose, owner: id, expiresIn: Time.days(30) });

/** The id of the account that a token stands for. */
export const readToken = async (text: string): Promise<string | undefined> =>
  (await token.read(text, { purpose }))?.owner;

const accountOf = ({ id, email }: User.User, details: Profile.Details): Account => ({ id, email, ...details });
