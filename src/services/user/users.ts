import { type Database, type OperationOptions, Row, type RowType, sql, type Statement } from "../../database/index.ts";
import { prepareSearchRequest, runCursorSearch } from "../../table/search/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Schema } from "../../schema/index.ts";
import type { Password } from "../../password/index.ts";
import type { NewPassword, User, UserErrors, UserProfile, UserReference, UserService } from "./contract.ts";
import type { Audit, AuditActor, AuditEvent } from "../audit/contract.ts";
import type { LoginFailures } from "./engine/login-failures.ts";
import { errors } from "./errors.ts";

const columnTypes = {
  id: Row.uuid,
  email: Row.text,
  username: Row.optional(Row.text),
  name: Row.optional(Row.text),
  given_name: Row.optional(Row.text),
  status: Row.oneOf("active", "inactive"),
  admin: Row.bool,
  confirmed: Row.bool,
  version: Row.int,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
};

/** Row of a user, without the password hash. */
export const userRow: RowType<User> = Row.record(columnTypes);

/** Table of the users, for relations: `() => Table.belongsTo(User.table)`. Changes go through the user service. */
export const userTable: UserTable = Object.freeze({
  name: "user_users",
  row: userRow,
  relations: Object.freeze({}),
  singular: "user",
});

/** Type of `User.table`. */
export interface UserTable {
  readonly name: string;
  readonly row: RowType<User>;
  readonly relations: {};
  readonly singular: string;
}

/** Row of a user joined with one of the user's sessions. */
export const sessionUserRow: RowType<User & { readonly last_seen_at: Date | undefined }> = Row.record({
  ...columnTypes,
  last_seen_at: Row.optional(Row.timestamp),
});

const userColumns = sql.columns(userRow);

const searchRequest = prepareSearchRequest({
  from: sql`user_users`,
  row: userRow,
  filter: ["email", "username", "status"],
  sort: ["created_at", "email"],
});

export type UserQueries = Pick<
  UserService,
  "find" | "findOpt" | "requireUnchanged" | "findByEmail" | "findByEmailOpt" | "search"
>;

/** Options of an operation, in functions that must pass them on. */
export type CallOptions = OperationOptions | undefined;

/** Dependencies that the operations of the user service share. */
export interface UserContext {
  readonly database: Database;
  readonly users: UserQueries;
  /** Deletes all sessions of a user: a part of another change, which is recorded. */
  readonly deleteSessions: (user: UserReference, options: CallOptions) => Promise<void>;
  /** Ends the impersonations whose session has ended, in the transaction of its end. */
  readonly endWithoutSession: (options: CallOptions) => Promise<void>;
  readonly failures: LoginFailures;
  readonly policy: Password.PasswordPolicy;
  readonly audit: Audit | undefined;
  readonly record: RecordEvent;
  readonly change: RunChange;
}

/** Adds an entry about a user to the audit trail, if there is one: `user.create`. */
export type RecordEvent = (
  action: string,
  user: UserReference | undefined,
  options: CallOptions,
  event?: Omit<AuditEvent, "action" | "subject">,
) => Promise<void>;

/**
 * Runs a change in a transaction, with the function that adds its entries. Who acts is found first, because the change may end
 * the session of whoever acts.
 */
export type RunChange = <T>(run: (record: RecordEvent) => Promise<T>, options: CallOptions) => Promise<T>;

/** Returns the functions that add entries to an audit trail. */
export function recorder(
  database: Database,
  audit: Audit | undefined,
): { readonly record: RecordEvent; readonly change: RunChange } {
  const recordAs =
    (actor: AuditActor | undefined): RecordEvent =>
    async (action, user, options, event) => {
      const subject = user && { table: userTable.name, id: user.id.toLowerCase() };
      await audit?.record({ actor, ...event, action: `user.${action}`, subject }, options);
    };
  return {
    record: recordAs(undefined),
    change: async (run, options) => {
      const actor = await audit?.actor(options);
      return database.transaction(() => run(recordAs(actor)), options);
    },
  };
}

/** Condition that a column has the id of a user. A text that is no UUID is the id of none. */
export const hasId = (id: string, column: Statement<unknown> = sql`id`): Statement<unknown> =>
  Schema.isUuid(id) ? sql`${column} = ${id.toLowerCase()}` : sql`1 = 0`;

/** Condition that a user has the version of a reference, if it contains one. */
export const hasVersionOf = ({ version }: UserReference): Statement<unknown> =>
  version === undefined ? sql`` : sql` and version = ${version}`;

export function userQueries(database: Database): UserQueries {
  const findOpt = (id: string, options?: OperationOptions): Promise<User | undefined> =>
    database.findOpt(sql.row(userRow)`select ${userColumns} from user_users where ${hasId(id)}`, options);

  const findByEmailOpt = async (email: string, options?: OperationOptions): Promise<User | undefined> => {
    const address = parseAddress(email);
    return address === undefined
      ? undefined
      : database.findOpt(
          sql.row(userRow)`select ${userColumns} from user_users where email_key = ${addressKey(address)}`,
          options,
        );
  };

  const requireUnchanged: UserService["requireUnchanged"] = async (user, options) => {
    // An update, because SQLite has no locking reads, and because PostgreSQL then refuses a concurrent change by a
    // transaction with a snapshot from before this lock.
    const count = await database.exec(
      sql`update user_users set version = version where ${hasId(user.id)} and status = 'active'${hasVersionOf(user)}`,
      options,
    );
    if (count === 1) return;
    orNotFound(await findOpt(user.id, options));
    throw errors.E_USER_CHANGED();
  };

  return {
    find: async (id, options) => orNotFound(await findOpt(id, options)),
    requireUnchanged,
    findOpt,
    findByEmail: async (email, options) => orNotFound(await findByEmailOpt(email, options)),
    findByEmailOpt,
    search: (parameters, options) => runCursorSearch(database, searchRequest, parameters, options),
  };
}

function orNotFound(user: User | undefined): User {
  if (user === undefined) throw errors.E_USER_NOT_FOUND();
  return user;
}

/** Returns the messages in the current language. */
export const userTexts = (): LanguageInternals.ServiceTexts["user"] => LanguageInternals.frameworkTexts().services.user;

/** Profile fields, in the order of the table columns. */
export const profileFields: readonly (keyof UserProfile)[] = ["username", "name", "given_name"];

const maxProfileCharacters = 255;

/** Validates the profile fields. Returns error messages by field. */
export function profileErrors(
  profile: Readonly<{ [Name in keyof UserProfile]?: string | null | undefined }>,
): UserErrors {
  const invalidFields = profileFields.filter((field) => !isValidProfileText(profile[field] ?? ""));
  return Object.fromEntries(invalidFields.map((field) => [field, userTexts().fieldInvalid]));
}

function isValidProfileText(text: string): boolean {
  // A character takes at most two code units, so a longer text is over the limit without being split.
  const isShort =
    text.length <= maxProfileCharacters ||
    (text.length <= 2 * maxProfileCharacters && Array.from(text).length <= maxProfileCharacters);
  return isShort && text.isWellFormed() && !text.includes("\0");
}

/** Validates a new password. Returns error messages by field. */
export async function newPasswordErrors(
  { policy }: UserContext,
  email: string,
  { password, confirmation }: NewPassword,
): Promise<UserErrors> {
  const policyMessage = await policy(password, { email });
  return {
    ...(policyMessage === undefined ? {} : { password: policyMessage }),
    ...(password === confirmation ? {} : { confirmation: userTexts().confirmationDiffers }),
  };
}
