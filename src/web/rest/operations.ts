import type { Context, ContextOptions, Result } from "../../core/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import * as Query from "./query.ts";
import { httpErrors, type Request } from "../../http/message/index.ts";
import type { Identified, ItemRequest, Refusal, ResourceService } from "./contract.ts";
import { type Input, readAll, readOver } from "./input.ts";

/** How a resource's requests are read, whatever form its answers have. */
export interface RequestOptions {
  /** Whether a text can be an identifier; others are 404 and never reach the service. Default: a UUID, taken in lower case. */
  readonly isId?: (id: string) => boolean;
  /** The most items on a page; a larger limit counts as this one. Default 1,000. */
  readonly maxLimit?: number;
  /**
   * What the service must know of a request: whose items are meant, or which `pool` they are in. Asked before each call of
   * the service, which is given it as `ctx` in its last argument.
   *
   * @example
   * ctx: (request) => [["user_id", Web.Session.find("user_id", request) ?? ""]]
   */
  readonly ctx?: (request: Request) => Context | Promise<Context>;
}

/** An input that did not become an item: the form to show again, and one message if there is one. */
export interface Rejection {
  readonly ok: false;
  readonly form: Form;
  readonly message: string | undefined;
}

/** What became of an input. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Rejection;

/** A page of a list, and what was asked for. */
export interface List<T> {
  readonly query: Query.Query;
  readonly items: readonly T[];
  readonly total: number;
  readonly cursors: Query.Cursors | undefined;
}

/** What can be done with the items of a service, as a request asks for it. */
export interface Operations<T, Value> {
  /** @throws E_QUERY_INVALID */
  readonly query: (request: Request) => Query.Query;
  /** @throws E_QUERY_INVALID, also for a cursor when the service gives none. */
  readonly list: (request: Request) => Promise<List<T>>;
  /** @throws E_NOT_FOUND */
  readonly item: (request: ItemRequest) => Promise<T>;
  readonly create: (request: Request, schema: Schema.RecordSchema<Value>) => Promise<Outcome<T>>;
  /** Replaces the fields of an item, or with PATCH those that were sent. */
  readonly update: (request: Request, schema: Schema.RecordSchema<Value>, item: T) => Promise<Outcome<T>>;
  /** Removes the item that is asked for. @throws E_NOT_FOUND */
  readonly destroy: (request: ItemRequest) => Promise<Result<unknown, Refusal>>;
}

/** The operations of a service. */
export function operationsOf<T extends Identified, Value>(
  service: ResourceService<T, Value>,
  { ctx, isId, maxLimit }: RequestOptions,
): Operations<T, Value> {
  const paging = maxLimit === undefined ? {} : { maxLimit };

  const optionsOf = async (request: Request): Promise<readonly [] | readonly [ContextOptions]> =>
    ctx === undefined ? [] : [{ ctx: await ctx(request) }];

  const itemOf = async (request: ItemRequest, ...options: readonly [ContextOptions?]): Promise<T> => {
    const id = isId === undefined ? request.params.id.toLowerCase() : request.params.id;
    const item = (isId ?? Schema.isUuid)(id) ? await service.find(id, ...options) : undefined;
    if (item === undefined) throw httpErrors.E_NOT_FOUND();
    return item;
  };

  return {
    query: (request) => Query.ofRequest(request, paging),
    list: async (request) => {
      const query = Query.ofRequest(request, paging);
      const [items, total, cursors] = await service.search(Query.withDefaults(query), ...(await optionsOf(request)));
      if (cursors === undefined) refuseCursors(query);
      return { query, items, total, cursors };
    },
    item: async (request) => itemOf(request, ...(await optionsOf(request))),
    create: async (request, schema) => {
      const input = await readAll(request, schema);
      if (input.value === undefined) return rejected(input, {});
      const result = await service.insert(input.value, ...(await optionsOf(request)));
      return result.ok ? result : rejected(input, result.error);
    },
    update: async (request, schema, item) => {
      const isPartial = request.method === "PATCH";
      const input = isPartial ? await readOver(request, schema, item) : await readAll(request, schema);
      if (input.value === undefined) return rejected(input, {});
      const result = await service.update(item.id, input.value, ...(await optionsOf(request)));
      return result.ok ? result : rejected(input, result.error);
    },
    destroy: async (request) => {
      const options = await optionsOf(request);
      return service.delete(await itemOf(request, ...options), ...options);
    },
  };
}

/** A list that does not know cursors would show its first page again and again. */
function refuseCursors(query: Query.Query): void {
  for (const key of ["after", "before"] as const) {
    if (query[key] !== undefined) throw errors.E_QUERY_INVALID(key, "is not possible in this list");
  }
}

function rejected({ form }: Input<unknown>, refusal: Refusal): Rejection {
  if (typeof refusal === "string") return { ok: false, form, message: refusal };
  return { ok: false, form: Form.withErrors(form, refusal), message: undefined };
}

/** A refusal as one text. */
export function sentence(refusal: Refusal): string {
  return typeof refusal === "string" ? refusal : Object.values(refusal).join(". ");
}
