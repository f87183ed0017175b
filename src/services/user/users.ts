import { type Database, type Options, prepareSearchRequest, runCursorSearch, sql } from "../../database/index.ts";
import { Schema } from "../../schema/index.ts";
import type { User, UserService } from "./contract.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { errors } from "./errors.ts";
import { userRow } from "./user-row.ts";

/** How users are found. */
export type Users = Pick<UserService, "find" | "findOpt" | "findByEmail" | "findByEmailOpt" | "search">;

const columns = sql.columns(userRow);

const searchRequest = prepareSearchRequest({
  from: sql`user_users`,
  row: userRow,
  filter: ["email", "username", "status"],
  sort: ["created_at", "email"],
});

/** Finds users in their table. */
export function usersIn(database: Database): Users {
  const findOpt = async (id: string, options?: Options): Promise<User | undefined> =>
    Schema.isUuid(id)
      ? database.findOpt(sql.row(userRow)`select ${columns} from user_users where id = ${id.toLowerCase()}`, options)
      : undefined;

  const findByEmailOpt = async (email: string, options?: Options): Promise<User | undefined> => {
    const address = parseAddress(email);
    return address === undefined
      ? undefined
      : database.findOpt(
          sql.row(userRow)`select ${columns} from user_users where email_key = ${addressKey(address)}`,
          options,
        );
  };

  return {
    find: async (id, options) => demand(await findOpt(id, options)),
    findOpt,
    findByEmail: async (email, options) => demand(await findByEmailOpt(email, options)),
    findByEmailOpt,
    search: (parameters, options) => runCursorSearch(database, searchRequest, parameters, options),
  };
}

function demand(user: User | undefined): User {
  if (user === undefined) throw errors.E_USER_NOT_FOUND();
  return user;
}
