import type { ContextOptions, Result } from "../../core/index.ts";
import type { Html } from "../../html/index.ts";
import type { Form, Schema } from "../../schema/index.ts";
import type { HandlerResult } from "../../http/router/index.ts";
import type { CompleteQuery, Cursors, Query } from "./query.ts";
import type { Request } from "../../http/message/index.ts";

/** Action on a resource. */
export type Action = "index" | "create" | "new" | "show" | "edit" | "update" | "destroy";

/** All actions, in the order of their routes. */
export const actions: readonly Action[] = ["index", "create", "new", "show", "edit", "update", "destroy"];

/** Model of a resource, with the identifier that its URL contains. */
export interface Identified {
  readonly id: string;
}

/** Error messages by field; nested fields by their full name, such as `lines.0.title`. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Reason why a service refused an operation: one message for the user, or messages by field. */
export type Refusal = string | FieldErrors;

type MaybePromise<T> = T | Promise<T>;

/**
 * Business logic of a resource. A module that exports these functions is a service.
 *
 * A refusal is the user's fault and is shown to the user. A thrown error is a failure and leads to the error page. The
 * options hold the result of the resource's `ctx`; they are absent if the resource has no `ctx`.
 */
export interface ResourceService<T, Input> {
  /** Finds an item by its identifier. Called before an item is shown, edited, updated or deleted. */
  readonly find: (id: string, options?: ContextOptions) => MaybePromise<T | undefined>;
  /**
   * Returns one page of items, and the number of items on all pages. A page beyond the last is empty, with the correct
   * total. With cursors as a third value, as `runCursorSearch` returns them, the list supports `after` and `before`.
   */
  readonly search: (
    query: CompleteQuery,
    options?: ContextOptions,
  ) => MaybePromise<readonly [items: readonly T[], total: number, cursors?: Cursors]>;
  /** Adds an item. */
  readonly insert: (value: Input, options?: ContextOptions) => MaybePromise<Result<T, Refusal>>;
  /** Replaces the fields of an item. Called with the full input, also for PATCH requests, which send a part of it. */
  readonly update: (id: string, value: Input, options?: ContextOptions) => MaybePromise<Result<T, Refusal>>;
  /** Deletes an item that `find` has returned. */
  readonly delete: (item: T, options?: ContextOptions) => MaybePromise<Result<unknown, Refusal>>;
}

/**
 * Pages of a resource. A module that exports these functions is a view (`export { create as new }`).
 *
 * `cursors` come from the service, for `Query.nextPage` and similar functions. Put `csrf` into a hidden input of that name
 * in each form. `form` holds values and errors of the fields; read them with `Form.find`.
 */
export interface ResourceView<T> {
  readonly index: (
    request: Request,
    csrf: string,
    page: readonly [items: readonly T[], total: number],
    query: Query,
    cursors: Cursors | undefined,
  ) => MaybePromise<Html>;
  readonly new: (request: Request, csrf: string, form: Form) => MaybePromise<Html>;
  readonly show: (request: Request, item: T) => MaybePromise<Html>;
  readonly edit: (request: Request, csrf: string, form: Form, item: T) => MaybePromise<Html>;
}

/** Resource of a request, the second argument of controller functions. */
export interface Resource<Input> {
  /** Name as in the path: `todos`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
}

/** Request for one item. */
export type ItemRequest = Request<{ readonly id: string }>;

/** Handlers of all actions: the low-level alternative to service and view. */
export interface ResourceController<Input> {
  readonly index: (request: Request, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  readonly create: (request: Request, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  readonly new: (request: Request, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  readonly show: (request: ItemRequest, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  readonly edit: (request: ItemRequest, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  /** Answers PUT, which sends all fields, and PATCH, which sends only the changed ones. */
  readonly update: (request: ItemRequest, resource: Resource<Input>) => MaybePromise<HandlerResult>;
  /** Answers the action `destroy`. */
  readonly delete: (request: ItemRequest, resource: Resource<Input>) => MaybePromise<HandlerResult>;
}

/** Controller function of an action. */
export type ControllerMember<A extends Action> = A extends "destroy" ? "delete" : Exclude<A, "destroy">;

/** Service functions that an action needs. */
export type ServiceMember<A extends Action> =
  | (A extends "index" ? "search" : never)
  | (A extends "create" ? "insert" : never)
  | (A extends "update" ? "update" : never)
  | (A extends "destroy" ? "delete" : never)
  | (A extends "show" | "edit" | "update" | "destroy" ? "find" : never);

/** View functions that an action needs; an invalid form is shown again. */
export type ViewMember<A extends Action> =
  | (A extends "create" ? "new" : never)
  | (A extends "update" ? "edit" : never)
  | Extract<A, "index" | "new" | "show" | "edit">;
