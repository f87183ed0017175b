import type { ContextOptions, Result } from "../../core/index.ts";
import type { Html } from "../../html/index.ts";
import type { Form, Schema } from "../../schema/index.ts";
import type { HandlerResult } from "../../http/router/index.ts";
import type { CompleteQuery, Cursors, Query } from "../query/query.ts";
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

/** Refusal of a change of an item that has another version by now. An error with the code E_STALE means the same. */
export interface Stale {
  readonly stale: true;
}

/** Value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Facts about a request that a service receives as its last argument. */
export interface ServiceOptions<Params extends object = Readonly<Record<string, string>>> extends ContextOptions {
  /**
   * Version that the item must have, for `update` and `delete` of an item with versions. Compare it in the statement that
   * changes the item, and refuse with `Stale` if it differs.
   */
  readonly version?: number;
  /** Parameters of the resource's `parent`. */
  readonly params?: Params;
  /** Relations to load, for `find` and `search` of a resource with the option `include`. */
  readonly include?: readonly string[];
}

/** Last argument of a service function: optional, unless the resource has a parent. */
export type OptionArguments = readonly [options?: ServiceOptions];

/**
 * Business logic of a resource. A module that exports these functions is a service.
 *
 * A refusal is the user's fault and is shown to the user. A thrown error is a failure and leads to the error page. The
 * options hold the result of the resource's `ctx`, the version of the item, and what `parent` and `include` say.
 * They are absent if there is nothing to say.
 */
export interface ResourceService<
  T,
  Input,
  ListArguments extends readonly unknown[] = OptionArguments,
  ItemArguments extends readonly unknown[] = ListArguments,
  Total extends number | undefined = number,
> {
  /** Finds an item by its identifier. Called before an item is shown, edited, updated or deleted. */
  readonly find: (id: string, ...options: ItemArguments) => MaybePromise<T | undefined>;
  /**
   * Returns one page of items, and the number of items on all pages. A page beyond the last is empty, with the correct
   * total. With cursors as a third value, as `runCursorSearch` returns them, the list supports `after` and `before`.
   * A service that counts no items (`total: false`) returns `undefined` as the total, and its view receives that: the
   * type of the total is the same in both.
   */
  readonly search: (
    query: CompleteQuery,
    ...options: ListArguments
  ) => MaybePromise<readonly [items: readonly T[], total: Total, cursors?: Cursors]>;
  /** Adds an item. */
  readonly insert: (value: Input, ...options: ListArguments) => MaybePromise<Result<T, Refusal>>;
  /** Replaces the fields of an item. Called with the full input, also for PATCH requests, which send a part of it. */
  readonly update: (id: string, value: Input, ...options: ItemArguments) => MaybePromise<Result<T, Refusal | Stale>>;
  /** Deletes an item that `find` has returned. */
  readonly delete: (item: T, ...options: ItemArguments) => MaybePromise<Result<unknown, Refusal | Stale>>;
}

/**
 * Pages of a resource. A module that exports these functions is a view (`export { create as new }`).
 *
 * `cursors` come from the service, for `Query.nextPage` and similar functions. Put `csrf` into a hidden input of that name
 * in each form, and the `version` of an item that has one. `form` has values and errors of the fields; see `Form.find`.
 */
export interface ResourceView<
  T,
  ListParams extends object = AnyParams,
  ItemParams extends object = ListParams,
  Total extends number | undefined = number,
> {
  readonly index: (
    request: Request<ListParams>,
    csrf: string,
    page: readonly [items: readonly T[], total: Total],
    query: Query,
    cursors: Cursors | undefined,
  ) => MaybePromise<Html>;
  readonly new: (request: Request<ListParams>, csrf: string, form: Form) => MaybePromise<Html>;
  readonly show: (request: Request<ItemParams>, item: T) => MaybePromise<Html>;
  readonly edit: (request: Request<ItemParams>, csrf: string, form: Form, item: T) => MaybePromise<Html>;
  /** Page after two people changed the same item. Default: a built-in page with both versions, field by field. */
  readonly conflict?: (request: Request<ItemParams>, csrf: string, conflict: Conflict<T>) => MaybePromise<Html>;
  /** Layout of the built-in page of a conflict. Default: a layout that needs no other file. */
  readonly layout?: (request: Request<ItemParams>, title: string, content: Html) => MaybePromise<Html>;
}

type AnyParams = Readonly<Record<string, string>>;

/**
 * Change of an item that someone else has changed since. Its page lets the person choose.
 *
 * The form of the page sends `_method=patch` to `action`, `csrf`, `version`, the `inputs` of the fields in hidden inputs,
 * and for each field `_choice.<name>` with the value `sent` or `stored`. A `version` that is stale again leads to another
 * conflict. To delete an item, it sends `_method=delete`, `csrf` and `version`.
 */
export interface Conflict<T> {
  readonly kind: "update" | "delete";
  /** URL path of the item. */
  readonly action: string;
  /** Item as it is stored now. */
  readonly item: T;
  /** Version of the stored item. */
  readonly version: number;
  /** Fields whose sent and stored values differ; none for a deletion. */
  readonly fields: readonly ConflictField[];
  /** Names of sensitive fields. What was entered in them is not kept. */
  readonly sensitiveFields: readonly string[];
}

/** Field with two values. */
export interface ConflictField {
  readonly name: string;
  /** Inputs that the person sent. Those of a list or a record have full names, such as `lines.0.title`. */
  readonly inputs: readonly (readonly [name: string, input: string])[];
  /** Inputs of the stored item. */
  readonly stored: readonly (readonly [name: string, input: string])[];
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
