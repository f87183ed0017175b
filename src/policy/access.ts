import type { OperationOptions, SqlPart } from "../database/index.ts";
import type { TableDatabase } from "../table/index.ts";
import { type Actor, type Can, type FieldActions, type Policy, type RowReference, System } from "./policy.ts";
import { once } from "./questions.ts";
import type { User } from "./rule.ts";

/** Options of `access`. */
export interface AccessOptions<Request, U extends User = User> {
  readonly database: TableDatabase;
  /** Returns the user of a request, `undefined` for a visitor, such as `User.Web.user`. */
  readonly actor: (request: Request) => Actor<U> | Promise<Actor<U>>;
}

/** Policy that is asked with a request. Resources take it as `policy`. Created by `access`. */
export interface Access<Row, Action extends string, Request> {
  /** Name of the table. */
  readonly table: string;
  readonly actions: readonly Action[];
  readonly readable: FieldActions;
  readonly writable: FieldActions;
  /** Returns the condition of the rows on which the user of a request may take an action. Default action: `see`. */
  readonly where: (request: Request, action?: Action) => Promise<SqlPart>;
  /** Checks whether the user of a request may do something with a row. @throws E_POLICY_NO_ROW, E_POLICY_REFUSED */
  readonly require: (
    request: Request,
    action: Action,
    row: RowReference<Row>,
    options?: OperationOptions,
  ) => Promise<void>;
  /** Answers questions about the rows of a list, as `can` of the policy. */
  readonly can: <Asked extends Action, Item extends Row>(
    request: Request,
    rows: readonly Item[],
    actions: readonly Asked[],
    options?: OperationOptions,
  ) => Promise<Can<Item, Asked>>;
  /** Checks whether the user of a request may add a row, as `requireNew` of the policy. */
  readonly requireNew: (request: Request) => Promise<void>;
  /** Returns rows without the fields that the user of a request may not read, as `redact` of the policy. */
  readonly redact: <Item extends Row>(
    request: Request,
    rows: readonly Item[],
    options?: OperationOptions,
  ) => Promise<readonly Item[]>;
  /**
   * Calls a function, in which an allowed question about a row is not asked a second time. `isAsked` returns true if the user of
   * the request was allowed the row with an id, or the condition of rows was asked for. For resources.
   */
  readonly once: <Result>(
    request: Request,
    callback: (isAsked: (id?: string) => boolean) => Promise<Result>,
  ) => Promise<Result>;
}

/**
 * Returns a policy that is asked with a request, for resources and handlers.
 *
 * @example
 * const access = Policy.access(policy, { database, actor: User.Web.user });
 * await access.require(request, "change", comment);
 */
export function access<Row, Action extends string, U extends User, Request>(
  policy: Policy<Row, Action, U>,
  { database, actor }: AccessOptions<Request, U>,
): Access<Row, Action, Request> {
  return Object.freeze<Access<Row, Action, Request>>({
    table: policy.table,
    actions: Object.keys(policy.rules) as Action[],
    readable: policy.readable,
    writable: policy.writable,
    where: async (request, action) => policy.where(await actor(request), action),
    require: async (request, ...question) => policy.require(database, await actor(request), ...question),
    can: async (request, ...question) => policy.can(database, await actor(request), ...question),
    requireNew: async (request) => policy.requireNew(await actor(request)),
    redact: async (request, ...question) => policy.redact(database, await actor(request), ...question),
    once: async (request, callback) => {
      const user = await actor(request);
      return once((isAsked) => callback((id) => !System.is(user) && isAsked(policy.rules, user, id)));
    },
  });
}
