import { Row, type RowType } from "../../database/index.ts";
import type { User, UserStatus } from "./contract.ts";

const status = Row.oneOf("active", "inactive");

const fields = {
  id: Row.uuid,
  email: Row.text,
  username: Row.optional(Row.text),
  name: Row.optional(Row.text),
  given_name: Row.optional(Row.text),
  status,
  admin: Row.bool,
  confirmed: Row.bool,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
};

/** A user, without what must not leave the service. */
export const userRow: RowType<User> = Row.record(fields);

/** The user of a session, with what is known of the session. */
export const sessionUserRow: RowType<User & { readonly last_seen_at: Date | undefined }> = Row.record({
  ...fields,
  last_seen_at: Row.optional(Row.timestamp),
});

/** What log-in needs. */
export interface LoginRow {
  readonly id: string;
  /** The hash. It stays here, in a row that nobody hands on. */
  readonly password: string | undefined;
  readonly status: UserStatus;
}

/** How it is read. */
export const loginRow: RowType<LoginRow> = Row.record({ id: Row.uuid, password: Row.optional(Row.text), status });
