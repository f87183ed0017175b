import type { StandardSchemaV1 } from "@standard-schema/spec";
import { validateNow } from "../../core/index.ts";
import type { Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { parseOpt } from "./session-content.ts";
import { SessionState } from "./session-state.ts";

/** Value of the session with a type, stored as JSON. */
export interface SessionField<T> {
  /** Returns the value; `undefined` if there is none, or one that does not match the schema. @throws E_SESSION_MISSING */
  readonly find: (request: Request) => T | undefined;
  /** Returns the pair for `update`; `undefined` removes the value. */
  readonly pair: (value: T | undefined) => readonly [key: string, value: string | undefined];
}

/**
 * Describes a value of the session by a schema of any library that follows Standard Schema (https://standardschema.dev). The
 * schema is synchronous, and reads the JSON of the value.
 *
 * @example
 * const cart = Web.Session.field("cart", z.array(z.string()));
 * const items = cart.find(request) ?? [];
 * return Web.Session.update([cart.pair([...items, id])], Web.Response.redirect("/cart"));
 */
export function field<T>(key: string, schema: StandardSchemaV1<unknown, T>): SessionField<T> {
  return {
    find: (request) => {
      const text = SessionState.of(request).content.values.get(key);
      if (text === undefined) return undefined;
      const result = validateNow(schema, parseOpt(text));
      if (result === undefined) throw errors.E_SESSION_SCHEMA(key);
      return result.issues === undefined ? result.value : undefined;
    },
    pair: (value) => [key, value === undefined ? undefined : JSON.stringify(value)],
  };
}
