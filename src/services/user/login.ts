import { error, isError, ok, type Result } from "../../core/index.ts";
import { Row, sql } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Log } from "../../log/index.ts";
import { dummyHash, ConcurrencyLimit, hashLimits, Password } from "../../password/index.ts";
import { Time } from "../../time/index.ts";
import type { LoginClient, User, UserService, UserStatus } from "./contract.ts";
import { findDevice } from "./engine/device-cookie.ts";
import { type FailureScope, networkScopes } from "./engine/login-failures.ts";
import { type CallOptions, type UserContext, userRow, userTexts } from "./users.ts";

const log = Log.source("limmat.user");

const loginRow = Row.record({
  id: Row.uuid,
  /** Password hash. Never return this row to a caller outside of this file. */
  password: Row.optional(Row.text),
  status: Row.oneOf("active", "inactive"),
});

interface Credentials {
  readonly emailKey: string;
  readonly password: string;
  /** Client that logs in, or `session` for a check of a logged-in user. */
  readonly client: LoginClient | "session" | undefined;
}

export interface LoginOperations {
  readonly login: UserService["login"];
  /**
   * Verifies credentials. Returns the user, or a message for the user: the lockout, or else `wrongPassword`, for an unknown
   * address, a wrong password, and an inactive user alike.
   */
  readonly verifyCredentials: (
    credentials: Credentials,
    wrongPassword: string,
    options: CallOptions,
  ) => Promise<Result<User>>;
}

export function loginOperations({ database, users, failures, audit, record }: UserContext): LoginOperations {
  const limiter = new KeyedLimiter();
  const verifyCredentials: LoginOperations["verifyCredentials"] = async (credentials, wrongPassword, options) => {
    const scopes = failureScopes(credentials);
    // Attempts of unknown browsers share a queue. Known devices and sessions do not wait for them.
    const queue = scopes.length === 1 ? scopes[0] : "all networks";
    const key = JSON.stringify([credentials.emailKey, queue]);
    const verified = await limiter.run(key, () => attempt(credentials, scopes, options), options?.signal);
    if (verified.ok) return verified;
    const lockoutMs = verified.error;
    return error(lockoutMs === 0 ? wrongPassword : userTexts().loginThrottled(Math.ceil(lockoutMs / Time.minutes(1))));
  };

  /** Verifies credentials once. The error is the remaining lockout, in milliseconds, or 0. */
  const attempt = async (
    credentials: Credentials,
    scopes: readonly FailureScope[],
    options: CallOptions,
  ): Promise<Result<User, number>> => {
    const { emailKey, password, client } = credentials;
    const logRefusal = (fields: Omit<Refusal, "lockoutMs">): void =>
      log.info("A password was refused", { ...fields, ...networkField(client) });
    const refuseAttempt = async ({ lockoutMs = 0, ...fields }: Refusal): Promise<Result<never, number>> => {
      logRefusal(fields);
      if (audit === undefined) return error(lockoutMs);
      const { reason, user } = fields;
      const isLogin = client !== "session";
      const subject = user === undefined ? undefined : { id: user };
      const event = { details: { reason }, ...(isLogin && { actor: {} }) };
      try {
        const action = isLogin ? "login.refuse" : "password.refuse";
        // The savepoint keeps a surrounding transaction usable after a failure.
        await database.transaction(() => record(action, subject, options, event), options);
      } catch (failure) {
        // The password is refused either way.
        log.error("A refused password could not be recorded", { error: failure });
      }
      return error(lockoutMs);
    };
    const { lockoutMs } = await failures.getStatus(emailKey, scopes, options);
    if (lockoutMs !== 0) {
      // Without an entry in the audit trail: such a refusal costs no hash, so a visitor could fill the trail.
      logRefusal({ reason: "locked" });
      return error(lockoutMs);
    }
    const login = await database.findOpt(
      sql.row(loginRow)`select id, password, status from user_users where email_key = ${emailKey}`,
      options,
    );
    // An unknown address costs a hash as well, so the response time does not reveal accounts (OWASP ASVS 6.3.8).
    const hash = login?.password ?? dummyHash();
    const isCorrect = await Password.verify(password, hash, options);
    if (!isCorrect || login?.status !== "active") {
      await failures.record(emailKey, scopes, options);
      return refuseAttempt({ reason: refusalReason(login?.status, isCorrect), user: login?.id });
    }
    // Parallel attempts, also of other processes, may have locked the account meanwhile. A right guess must not show.
    const status = await failures.getStatus(emailKey, scopes, options);
    if (status.lockoutMs !== 0) return refuseAttempt({ reason: "locked", lockoutMs: status.lockoutMs, user: login.id });
    // Verifying takes seconds under load. A password that was replaced meanwhile must not log in.
    const user = await database.findOpt(
      sql.row(userRow)`select ${sql.columns(userRow)} from user_users
        where id = ${login.id} and password = ${hash} and status = 'active'`,
      options,
    );
    if (user === undefined) {
      const exists = (await users.findOpt(login.id, options)) !== undefined;
      return exists ? attempt(credentials, scopes, options) : refuseAttempt({ reason: "deleted during the login" });
    }
    if (status.hasFailures) await failures.clear(emailKey, scopes, options);
    await rehash(user, password, hash, options);
    return ok(user);
  };

  const rehash = async ({ id }: User, password: string, oldHash: string, options: CallOptions): Promise<void> => {
    if (!Password.needsRehash(oldHash)) return;
    try {
      const hash = await Password.hash(password, options);
      // The condition keeps a password that was set meanwhile.
      await database.exec(
        sql`update user_users set password = ${hash} where id = ${id} and password = ${oldHash}`,
        options,
      );
    } catch (failure) {
      // The login still succeeds. The next one renews the hash.
      if (!isError(failure, "E_PASSWORD_BUSY")) throw failure;
    }
  };

  const login: UserService["login"] = async (email, password, options) => {
    const address = parseAddress(email);
    if (address === undefined) return error(userTexts().loginFailed);
    const client = options?.client;
    const credentials = { emailKey: addressKey(address), password, client };
    const verified = await verifyCredentials(credentials, userTexts().loginFailed, options);
    if (verified.ok) {
      const { id } = verified.value;
      await record("login", { id }, options, { actor: { user: id, credential: "password" } });
      log.info("A user logged in", { user: id, ...networkField(client) });
    }
    return verified;
  };

  return { login, verifyCredentials };
}

interface Refusal {
  readonly reason: string;
  readonly user?: string | undefined;
  readonly lockoutMs?: number;
}

/** Returns the scopes in which a failure is counted, and whose locks apply. */
function failureScopes({ emailKey, client }: Credentials): readonly FailureScope[] {
  if (client === "session") return ["session"];
  const device = findDevice(client?.deviceCookie, emailKey);
  return device === undefined ? networkScopes(client?.network ?? "") : [`device ${device}`];
}

const networkField = (client: Credentials["client"]): { readonly network?: string } =>
  typeof client === "object" ? { network: client.network } : {};

function refusalReason(status: UserStatus | undefined, isCorrect: boolean): string {
  if (status === undefined) return "unknown address";
  return isCorrect ? status : "wrong password";
}

/** Concurrency limit per account, which bounds parallel guesses. Attempts on one account do not delay the others. */
export class KeyedLimiter {
  readonly #limits = new Map<string, ConcurrencyLimit>();

  /** Number of accounts with running or waiting attempts. Only these use memory. */
  get size(): number {
    return this.#limits.size;
  }

  /**
   * Runs a task within the limit of an account.
   *
   * @throws E_PASSWORD_BUSY if too many tasks of this account are waiting; the reason of the signal if it aborts
   */
  async run<T>(account: string, task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const limit = this.#limits.get(account) ?? new ConcurrencyLimit(hashLimits);
    this.#limits.set(account, limit);
    try {
      return await limit.run(task, signal);
    } finally {
      const { running, waiting } = limit.counts;
      if (running + waiting === 0) this.#limits.delete(account);
    }
  }
}
