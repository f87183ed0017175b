import { error, isError, ok, type Result } from "../../core/index.ts";
import { type Options, sql } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserService } from "./contract.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import type { Parts } from "./parts.ts";
import { Password } from "./password/index.ts";
import { Turns } from "./turns.ts";
import { loginRow, userRow } from "./user-row.ts";

const log = Log.source("limmat.user");

/** What proving oneself by a password is given. */
interface Claim {
  readonly key: string;
  readonly password: string;
}

/** Somebody who knows a password. */
export interface Proof {
  readonly user: User;
  /** The hash of that password, as it is kept: changed, the proof is worth nothing any more. */
  readonly hash: string;
}

/** How users prove who they are. */
export interface LogIn {
  readonly login: UserService["login"];
  /**
   * The user of an address whose password this is. What is wrong otherwise: `wait`, in milliseconds, or the same 0 for an
   * unknown address, a wrong password, and a user who is not active.
   */
  prove(claim: Claim, options?: Options): Promise<Result<Proof, number>>;
  /** What a person is told of a refusal. */
  refusal(wait: number, wrong: string): string;
}

/** Checks passwords. */
export function logInWith({ database, users, failures, messages }: Parts): LogIn {
  const refusal = (wait: number, wrong: string): string =>
    wait === 0 ? wrong : messages.loginMustWait(Math.ceil(wait / Time.minutes(1)));

  const turns = new Turns();
  const prove: LogIn["prove"] = (claim, options) =>
    turns.take(claim.key, () => attempt(claim, options), options?.signal);

  const attempt: LogIn["prove"] = async ({ key, password }, options) => {
    const { wait } = await failures.find(key, options);
    if (wait !== 0) return refuse({ reason: "must wait", wait });
    const found = await database.findOpt(
      sql.row(loginRow)`select id, password, status from user_users where email_key = ${key}`,
      options,
    );
    // Who is unknown costs a hash as well: how long a refusal takes tells nothing (OWASP ASVS 6.3.8).
    const hash = found?.password ?? Password.nobodysHash();
    const isRight = await Password.verify(password, hash, options);
    if (!isRight || found?.status !== "active") {
      await failures.add(key, options);
      return refuse({ reason: reasonOf(found, isRight), user: found?.id });
    }
    // Others may have tried meanwhile, in this process or another: what was guessed then is not told.
    const now = await failures.find(key, options);
    if (now.wait !== 0) return refuse({ reason: "must wait", wait: now.wait, user: found.id });
    // Checking takes time, under load seconds: who knows what the password was when it began is not let in any more.
    const user = await database.findOpt(
      sql.row(userRow)`select ${sql.columns(userRow)} from user_users
        where id = ${found.id} and password = ${hash} and status = 'active'`,
      options,
    );
    if (user === undefined) {
      const isThere = (await users.findOpt(found.id, options)) !== undefined;
      return isThere ? attempt({ key, password }, options) : refuse({ reason: "deleted meanwhile" });
    }
    if (now.isKnown) await failures.forget(key, options);
    return ok({ user, hash: await rehashed(user, password, hash, options) });
  };

  /** The hash that is kept from now on. */
  const rehashed = async (
    { id }: User,
    password: string,
    old: string,
    options: Options | undefined,
  ): Promise<string> => {
    if (!Password.needsRehash(old)) return old;
    try {
      const hash = await Password.hash(password, options);
      // Not over a password that was set meanwhile: then no hash of this one is kept any more.
      await database.exec(
        sql`update user_users set password = ${hash} where id = ${id} and password = ${old}`,
        options,
      );
      return hash;
    } catch (failure) {
      // The next log-in will do.
      if (!isError(failure, "E_PASSWORD_BUSY")) throw failure;
      return old;
    }
  };

  const login: UserService["login"] = async (email, password, options) => {
    const address = parseAddress(email);
    const proven = address === undefined ? error(0) : await prove({ key: addressKey(address), password }, options);
    if (!proven.ok) return error(refusal(proven.error, messages.loginRefused));
    const { user } = proven.value;
    log.info("A user logged in", { user: user.id });
    return ok(user);
  };

  return { login, prove, refusal };
}

interface Refused {
  readonly reason: string;
  readonly user?: string | undefined;
  readonly wait?: number;
}

function refuse({ reason, user, wait = 0 }: Refused): Result<never, number> {
  log.info("A password was refused", { reason, user });
  return error(wait);
}

function reasonOf(found: { readonly status: User["status"] } | undefined, isRight: boolean): string {
  if (found === undefined) return "unknown address";
  return isRight ? found.status : "wrong password";
}
