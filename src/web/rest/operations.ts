import type { Context, ContextOptions, Result } from "../../core/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import * as Query from "./query.ts";
import { encodePath, httpErrors, type Request } from "../../http/message/index.ts";
import type { Identified, ItemRequest, Refusal, ResourceService } from "./contract.ts";
import { type Input, readInput, readPartialInput } from "./input.ts";

/** Options for reading requests of a resource, for JSON and pages alike. */
export interface RequestOptions {
  /** Returns true for a valid identifier; others get 404 without a call of the service. Default: a UUID, converted to lower case. */
  readonly isId?: (id: string) => boolean;
  /** Maximum number of items on a page; a larger limit is reduced to it. Default 1,000. */
  readonly maxLimit?: number;
  /**
   * Returns the context of a request for the service, such as the owner of the items or their `pool`. Called before each
   * call of the service, which receives it as `ctx` in its last argument.
   *
   * @example
   * ctx: (request) => [["user_id", Web.Session.find("user_id", request) ?? ""]]
   */
  readonly ctx?: (request: Request) => Context | Promise<Context>;
}

/** Rejected input: the form with errors, and an optional message. */
export interface Rejection {
  readonly ok: false;
  readonly form: Form;
  readonly message: string | undefined;
}

/** Outcome of a creation or update. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Rejection;

/** Page of a list, with its query. */
export interface ItemPage<T> {
  readonly query: Query.Query;
  readonly items: readonly T[];
  readonly total: number;
  readonly cursors: Query.Cursors | undefined;
}

/** Operations on the items of a service, as requests call for them. */
export interface ResourceOperations<T, Value> {
  /** @throws E_QUERY_INVALID */
  readonly query: (request: Request) => Query.Query;
  /** @throws E_QUERY_INVALID, also for a cursor if the service does not support cursors */
  readonly list: (request: Request) => Promise<ItemPage<T>>;
  /** @throws E_NOT_FOUND */
  readonly item: (request: ItemRequest) => Promise<T>;
  readonly create: (request: Request, schema: Schema.RecordSchema<Value>) => Promise<Outcome<T>>;
  /** Replaces the fields of an item; with PATCH only the sent ones. */
  readonly update: (request: Request, schema: Schema.RecordSchema<Value>, item: T) => Promise<Outcome<T>>;
  /** Deletes the requested item. @throws E_NOT_FOUND */
  readonly destroy: (request: ItemRequest) => Promise<Result<unknown, Refusal>>;
}

/** Creates the operations of a service. */
export function resourceOperations<T extends Identified, Value>(
  service: ResourceService<T, Value>,
  { ctx, isId, maxLimit }: RequestOptions,
): ResourceOperations<T, Value> {
  const pagingOptions = maxLimit === undefined ? {} : { maxLimit };

  const contextOptions = async (request: Request): Promise<readonly [] | readonly [ContextOptions]> =>
    ctx === undefined ? [] : [{ ctx: await ctx(request) }];

  const findItem = async (request: ItemRequest, ...options: readonly [ContextOptions?]): Promise<T> => {
    const id = isId === undefined ? request.params.id.toLowerCase() : request.params.id;
    const item = (isId ?? Schema.isUuid)(id) ? await service.find(id, ...options) : undefined;
    if (item === undefined) throw httpErrors.E_NOT_FOUND();
    return item;
  };

  return {
    query: (request) => Query.ofRequest(request, pagingOptions),
    list: async (request) => {
      const query = Query.ofRequest(request, pagingOptions);
      const [items, total, cursors] = await service.search(
        Query.withDefaults(query),
        ...(await contextOptions(request)),
      );
      if (cursors === undefined) refuseCursors(query);
      return { query, items, total, cursors };
    },
    item: async (request) => findItem(request, ...(await contextOptions(request))),
    create: async (request, schema) => {
      const input = await readInput(request, schema);
      if (input.value === undefined) return reject(input, {});
      const result = await service.insert(input.value, ...(await contextOptions(request)));
      return result.ok ? result : reject(input, result.error);
    },
    update: async (request, schema, item) => {
      const isPartial = request.method === "PATCH";
      const input = isPartial ? await readPartialInput(request, schema, item) : await readInput(request, schema);
      if (input.value === undefined) return reject(input, {});
      const result = await service.update(item.id, input.value, ...(await contextOptions(request)));
      return result.ok ? result : reject(input, result.error);
    },
    destroy: async (request) => {
      const options = await contextOptions(request);
      return service.delete(await findItem(request, ...options), ...options);
    },
  };
}

/** Refuses cursors in a list without cursor support, which would return its first page every time. */
function refuseCursors(query: Query.Query): void {
  for (const key of ["after", "before"] as const) {
    if (query[key] !== undefined) throw errors.E_QUERY_INVALID(key, "is not supported by this list");
  }
}

function reject({ form }: Input<unknown>, refusal: Refusal): Rejection {
  if (typeof refusal === "string") return { ok: false, form, message: refusal };
  return { ok: false, form: Form.withErrors(form, refusal), message: undefined };
}

/** Joins the messages of a refusal into one text. */
export function refusalText(refusal: Refusal): string {
  return typeof refusal === "string" ? refusal : Object.values(refusal).join(". ");
}

/** Returns the URL path of a request, with prefix and scopes, without the query. */
export function urlPathOf(request: Request): string {
  return request.prefix + encodePath(request.path);
}

/** Returns the URL path of the list that the item of a request belongs to. */
export function listUrlPathOf(request: Request): string {
  return urlPathOf(request).replace(/\/[^/]*$/, "");
}
