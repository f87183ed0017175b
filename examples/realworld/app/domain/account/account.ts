import { ok, type Result, Time, type User } from "limmat";
import { database, token, user } from "../../../service/service.ts";
import type { FieldErrors } from "../errors.ts";
import * as Profile from "../profile/profile.ts";
import type { Account, Changes, Registration } from "./entity.ts";

export type { Account, Changes, Registration } from "./entity.ts";

/** Creates a user and a profile, in one transaction. */
export const register = (registration: Registration): Promise<Result<Account, FieldErrors>> =>
  database.transaction(async () => {
    const { username, email, password } = registration;
    const registered = await user.registerUser({ email, password, confirmation: password });
    if (!registered.ok) return registered;
    const profile = await Profile.insert(registered.value.id, { username, bio: "", image: "" });
    return profile.ok ? ok(accountOf(registered.value, profile.value)) : profile;
  });

export async function login(email: string, password: string, client: User.LoginClient): Promise<Account | undefined> {
  const result = await user.login(email, password, { client });
  return result.ok ? find(result.value) : undefined;
}

export const find = async (owner: User.User): Promise<Account> => accountOf(owner, await Profile.findDetails(owner.id));

/** Changes the given fields in one transaction. A new password revokes all tokens of the account. */
export async function update(
  owner: User.User,
  { email, password, ...details }: Changes,
): Promise<Result<Account, FieldErrors>> {
  // Before the transaction, which would hold a connection meanwhile.
  const hashed = password === undefined ? ok() : await user.hashPassword(owner, { password, confirmation: password });
  if (!hashed.ok) return hashed;
  return database.transaction<Result<Account, FieldErrors>>(async () => {
    if (hashed.value !== undefined) {
      const changed = await user.setPassword(owner, hashed.value);
      if (!changed.ok) return changed;
      await token.deactivateAll({ owner: owner.id, purpose });
    }
    const updated = await user.update(owner, { email });
    if (!updated.ok) return updated;
    const profile = await Profile.update(owner.id, { ...(await Profile.findDetails(owner.id)), ...details });
    return profile.ok ? ok(accountOf(updated.value, profile.value)) : profile;
  });
}

const purpose = "api";

export const createToken = ({ id }: Account): Promise<string> =>
  token.create({}, { purpose, owner: id, expiresInMs: Time.days(30) });

/** Returns the id of the account that a token belongs to. */
export const readToken = async (text: string): Promise<string | undefined> =>
  (await token.read(text, { purpose }))?.owner;

const accountOf = ({ id, email }: User.User, details: Profile.ProfileInput): Account => ({ id, email, ...details });
