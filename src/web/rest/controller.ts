import type { Html } from "../../html/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import * as Csrf from "../csrf/csrf.ts";
import { demandGuard } from "../csrf/guard.ts";
import { errorResponse } from "../error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../failure.ts";
import * as Flash from "../flash/flash.ts";
import { encodePath } from "../path.ts";
import * as Query from "../query.ts";
import type { Request } from "../request.ts";
import { isForm } from "../request-body.ts";
import { Response } from "../response.ts";
import type {
  Identified,
  ItemRequest,
  Refusal,
  ResourceController,
  ResourceService,
  ResourceView,
} from "./contract.ts";
import { fieldsOf, readAll, readOver } from "./input.ts";
import { listOf, present } from "./json.ts";
import { messagesOf, type ResourceMessages } from "./messages.ts";

/** What the controller of a service can be given beside service and view. */
export interface ControllerOptions<T> {
  /** Whether a text can be an identifier; others are 404 and never reach the service. Default: a UUID, taken in lower case. */
  readonly isId?: (id: string) => boolean;
  /** The most items on a page; a larger limit counts as this one. Default 1,000. */
  readonly maxLimit?: number;
  /** Replaces what users are told. */
  readonly messages?: Partial<ResourceMessages>;
  /**
   * What of an item a request for JSON gets. Default: `id`, the fields of the schema but for the sensitive ones,
   * `created_at` and `updated_at`.
   */
  readonly json?: (item: T) => unknown;
}

/** What `controllerOfService` is given. */
export interface ControllerDefinition<T, Input> extends ControllerOptions<T> {
  readonly view: ResourceView<T>;
  readonly service: ResourceService<T, Input>;
}

/**
 * The controller that `resourceOfService` uses: spread it into one of your own to answer an action differently.
 *
 * Create and update answer 303 with a notice, to the list and to the item; delete 303 to the list as it was; input that
 * is not valid, or refused by the service, 422 with the form again; a missing item 404. A request that asks for JSON
 * gets JSON: 200, 201 with `Location`, 204, and problem documents with 404, 409 (delete refused) and 422.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID and what reading a body throws; E_CSRF_MISSING, E_SESSION_MISSING
 * and E_FLASH_MISSING where a form is answered without these middlewares.
 */
export function controllerOfService<T extends Identified, Input>(
  definition: ControllerDefinition<T, Input>,
): ResourceController<Input> {
  const { view, service, isId, maxLimit, json } = definition;
  const paging = maxLimit === undefined ? {} : { maxLimit };

  const itemOf = async (request: ItemRequest): Promise<T> => {
    const id = isId === undefined ? request.params.id.toLowerCase() : request.params.id;
    const item = (isId ?? Schema.isUuid)(id) ? await service.find(id) : undefined;
    if (item === undefined) throw errors.E_NOT_FOUND();
    return item;
  };

  return {
    index: async (request, { schema }) => {
      const query = Query.ofRequest(request, paging);
      const complete = Query.withDefaults(query);
      const page = await service.search(complete);
      if (request.wants("json")) return negotiated(Response.json(listOf(page, complete, json ?? present(schema))));
      return negotiated(Response.html(await view.index(request, Csrf.find(request), page, query)));
    },

    new: async (request, { schema }) => Response.html(await view.new(request, Csrf.find(request), schema.fill())),

    create: async (request, { name, schema }) => {
      demandMiddlewares(request);
      const messages = messagesOf(name, definition.messages);
      const { form, value } = await readAll(request, schema);
      const result = value === undefined ? undefined : await service.insert(value);
      if (result?.ok !== true) {
        return again(request, form, result?.error ?? {}, messages, (csrf, shown) => view.new(request, csrf, shown));
      }
      const url = urlOf(request.prefix, request.path);
      if (!request.wants("json")) return Flash.setNotice(messages.created(messages.label), Response.redirect(url));
      const headers = { location: `${url}/${encodeURIComponent(result.value.id)}` };
      return Response.json((json ?? present(schema))(result.value), { status: 201, headers });
    },

    show: async (request, { schema }) => {
      const item = await itemOf(request);
      if (request.wants("json")) return negotiated(Response.json((json ?? present(schema))(item)));
      return negotiated(Response.html(await view.show(request, item)));
    },

    edit: async (request, { schema }) => {
      const item = await itemOf(request);
      return Response.html(await view.edit(request, Csrf.find(request), schema.fill(fieldsOf(item, schema)), item));
    },

    update: async (request, { name, schema }) => {
      demandMiddlewares(request);
      const messages = messagesOf(name, definition.messages);
      const item = await itemOf(request);
      const isPartial = request.method === "PATCH";
      const { form, value } = isPartial ? await readOver(request, schema, item) : await readAll(request, schema);
      const result = value === undefined ? undefined : await service.update(item.id, value);
      if (result?.ok !== true) {
        return again(request, form, result?.error ?? {}, messages, (csrf, shown) =>
          view.edit(request, csrf, shown, item),
        );
      }
      if (request.wants("json")) return Response.json((json ?? present(schema))(result.value));
      const back = Response.redirect(urlOf(request.prefix, request.path));
      return Flash.setNotice(messages.updated(messages.label), back);
    },

    delete: async (request, { name }) => {
      demandMiddlewares(request);
      const messages = messagesOf(name, definition.messages);
      const query = Query.ofRequest(request, paging);
      const result = await service.delete(await itemOf(request));
      const reason = result.ok ? "" : sentence(result.error);
      if (request.wants("json"))
        return result.ok ? Response.empty() : errorResponse(request, failureOf(errors.E_DELETE_REFUSED(reason)));
      const list = request.path.slice(0, request.path.lastIndexOf("/"));
      const back = Response.redirect(urlOf(request.prefix, list) + Query.toQueryString(query));
      return result.ok ? Flash.setNotice(messages.deleted(messages.label), back) : Flash.setAlert(reason, back);
    },
  };
}

/** The form again, with what is wrong. */
async function again(
  request: Request,
  form: Form,
  refusal: Refusal,
  messages: ResourceMessages,
  page: (csrf: string, form: Form) => Html | Promise<Html>,
): Promise<Response> {
  const shown = typeof refusal === "string" ? form : Form.withErrors(form, refusal);
  const reason = typeof refusal === "string" ? refusal : messages.invalid;
  if (request.wants("json")) {
    return errorResponse(request, { ...failureOf(errors.E_FORM_INVALID(reason)), errors: Form.errors(shown) });
  }
  Flash.now([["alert", reason]], request);
  return Response.html(await page(Csrf.find(request), shown), { status: 422 });
}

/** Before anything is changed: a form needs the CSRF check, and pages need flash for what they tell. */
function demandMiddlewares(request: Request): void {
  const isPage = !request.wants("json");
  if (isPage || isForm(request.header("content-type"))) demandGuard(request);
  if (isPage) Flash.demand(request);
}

/** Where a path is reached from outside. */
function urlOf(prefix: string, path: string): string {
  return prefix + encodePath(path);
}

function negotiated(response: Response): Response {
  return response.withAddedHeader("vary", "accept");
}

function sentence(refusal: Refusal): string {
  return typeof refusal === "string" ? refusal : Object.values(refusal).join(". ");
}
