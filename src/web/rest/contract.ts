import type { ContextOptions, Result } from "../../core/index.ts";
import type { Html } from "../../html/index.ts";
import type { Form, Schema } from "../../schema/index.ts";
import type { HandlerResult } from "../../http/router/index.ts";
import type { CompleteQuery, Cursors, Query } from "./query.ts";
import type { Request } from "../../http/message/index.ts";

/** What can be done with a resource. */
export type Action = "index" | "create" | "new" | "show" | "edit" | "update" | "destroy";

/** All actions, in the order of their routes. */
export const actions: readonly Action[] = ["index", "create", "new", "show", "edit", "update", "destroy"];

/** What a resource model must have: the identifier that stands in its address. */
export interface Identified {
  readonly id: string;
}

/** Why a service did not do what was asked: messages by field, for what is inside one by its full name, `lines.0.title`. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Why a service did not do what was asked: one message for the user, or messages by field. */
export type Refusal = string | FieldErrors;

type Soon<T> = T | Promise<T>;

/**
 * The business logic of a resource. A module that exports these functions is one.
 *
 * A refusal is a user's fault and is shown to the user; a throw is a failure and ends in the error page. The options hold
 * what the resource's `ctx` says of the request; they are not given when the resource has none.
 */
export interface ResourceService<T, Input> {
  /** The item of an identifier, or `undefined`. Asked before an item is shown, edited, updated or deleted. */
  readonly find: (id: string, options?: ContextOptions) => Soon<T | undefined>;
  /**
   * One page of items, and how many match the filter on all pages. A page beyond the last is empty, its total is right. The
   * list can also be paged by `after` and `before` when cursors come as a third value, as `runCursorSearch` gives them.
   */
  readonly search: (
    query: CompleteQuery,
    options?: ContextOptions,
  ) => Soon<readonly [items: readonly T[], total: number, cursors?: Cursors]>;
  /** Adds an item. */
  readonly insert: (value: Input, options?: ContextOptions) => Soon<Result<T, Refusal>>;
  /** Replaces the fields of an item. Called with the whole input, also when a request sent a part of it (PATCH). */
  readonly update: (id: string, value: Input, options?: ContextOptions) => Soon<Result<T, Refusal>>;
  /** Removes an item that `find` gave. */
  readonly delete: (item: T, options?: ContextOptions) => Soon<Result<unknown, Refusal>>;
}

/**
 * The pages of a resource. A module that exports these functions is one (`export { create as new }`).
 *
 * `cursors` are those of a service that gives them: for `Query.nextPage` and its like. `csrf` goes into a hidden input
 * of that name in each form. `form` holds what is in the fields and what is wrong with them: look it up with `Form.find`.
 */
export interface ResourceView<T> {
  readonly index: (
    request: Request,
    csrf: string,
    page: readonly [items: readonly T[], total: number],
    query: Query,
    cursors: Cursors | undefined,
  ) => Soon<Html>;
  readonly new: (request: Request, csrf: string, form: Form) => Soon<Html>;
  readonly show: (request: Request, item: T) => Soon<Html>;
  readonly edit: (request: Request, csrf: string, form: Form, item: T) => Soon<Html>;
}

/** What the functions of a controller are given beside the request. */
export interface Resource<Input> {
  /** As in the path: `todos`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
}

/** A request for one item. */
export type ItemRequest = Request<{ readonly id: string }>;

/** The low-level alternative to service and view: it answers each action itself. */
export interface ResourceController<Input> {
  readonly index: (request: Request, resource: Resource<Input>) => Soon<HandlerResult>;
  readonly create: (request: Request, resource: Resource<Input>) => Soon<HandlerResult>;
  readonly new: (request: Request, resource: Resource<Input>) => Soon<HandlerResult>;
  readonly show: (request: ItemRequest, resource: Resource<Input>) => Soon<HandlerResult>;
  readonly edit: (request: ItemRequest, resource: Resource<Input>) => Soon<HandlerResult>;
  /** Answers PUT, which sends all fields, and PATCH, which keeps those that it does not send. */
  readonly update: (request: ItemRequest, resource: Resource<Input>) => Soon<HandlerResult>;
  /** The action `destroy`. */
  readonly delete: (request: ItemRequest, resource: Resource<Input>) => Soon<HandlerResult>;
}

/** The function of a controller that answers an action. */
export type ControllerMember<A extends Action> = A extends "destroy" ? "delete" : Exclude<A, "destroy">;

/** The functions of a service that an action needs. */
export type ServiceMember<A extends Action> =
  | (A extends "index" ? "search" : never)
  | (A extends "create" ? "insert" : never)
  | (A extends "update" ? "update" : never)
  | (A extends "destroy" ? "delete" : never)
  | (A extends "show" | "edit" | "update" | "destroy" ? "find" : never);

/** The pages of a view that an action needs: a form that is not valid is shown again. */
export type ViewMember<A extends Action> =
  | (A extends "create" ? "new" : never)
  | (A extends "update" ? "edit" : never)
  | Extract<A, "index" | "new" | "show" | "edit">;
