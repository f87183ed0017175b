import { demandGuard } from "../csrf/guard.ts";
import * as Csrf from "../csrf/csrf.ts";
import * as Flash from "../flash/flash.ts";
import { type HandlerResult, mapResponse } from "../../http/router/index.ts";
import * as Query from "./query.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { addressOf, listAddressOf } from "./address.ts";
import type { Identified, Resource, ResourceController, ResourceService, ResourceView } from "./contract.ts";
import { fieldsOf } from "./input.ts";
import { jsonControllerOfService, type JsonOptions } from "./json-controller.ts";
import { messagesOf } from "./messages.ts";
import { operationsOf, type Rejection, sentence } from "./operations.ts";

/** What `controllerOfService` is given. */
export interface ControllerDefinition<T, Input> extends JsonOptions<T> {
  readonly view: ResourceView<T>;
  readonly service: ResourceService<T, Input>;
}

/**
 * The controller that `resourceOfService` uses: spread it into one of your own to answer an action differently.
 *
 * Create and update answer 303 with a notice, to the list and to the item; delete 303 to the list as it was, with a
 * notice or an alert; input that is not valid, or refused by the service, 422 with the form again; a missing item 404.
 * A request that asks for JSON is answered as by `jsonControllerOfService`.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID and what reading a body throws; E_CSRF_MISSING, E_SESSION_MISSING
 * and E_FLASH_MISSING, before anything is changed, where a form is answered without these middlewares.
 */
export function controllerOfService<T extends Identified, Input>(
  definition: ControllerDefinition<T, Input>,
): ResourceController<Input> {
  const { view, service } = definition;
  const operations = operationsOf(service, definition);
  const json = jsonControllerOfService(definition);

  /** The form again, with what was typed and what is wrong. */
  const again = (request: Request, { name }: Resource<Input>, { message }: Rejection): string => {
    Flash.now([["alert", message ?? messagesOf(name, definition.messages).invalid]], request);
    return Csrf.find(request);
  };

  return {
    index: negotiated(json.index, async (request) => {
      const { query, items, total, cursors } = await operations.list(request);
      return Response.html(await view.index(request, Csrf.find(request), [items, total], query, cursors));
    }),

    new: async (request, { schema }) => Response.html(await view.new(request, Csrf.find(request), schema.fill())),

    create: negotiated(json.create, async (request, resource) => {
      demandMiddlewares(request);
      const outcome = await operations.create(request, resource.schema);
      if (!outcome.ok) {
        const csrf = again(request, resource, outcome);
        return Response.html(await view.new(request, csrf, outcome.form), { status: 422 });
      }
      const { label, created } = messagesOf(resource.name, definition.messages);
      return Flash.setNotice(created(label), Response.redirect(addressOf(request)));
    }),

    show: negotiated(json.show, async (request) =>
      Response.html(await view.show(request, await operations.item(request))),
    ),

    edit: async (request, { schema }) => {
      const item = await operations.item(request);
      return Response.html(await view.edit(request, Csrf.find(request), schema.fill(fieldsOf(item, schema)), item));
    },

    update: negotiated(json.update, async (request, resource) => {
      demandMiddlewares(request);
      const item = await operations.item(request);
      const outcome = await operations.update(request, resource.schema, item);
      if (!outcome.ok) {
        const csrf = again(request, resource, outcome);
        return Response.html(await view.edit(request, csrf, outcome.form, item), { status: 422 });
      }
      const { label, updated } = messagesOf(resource.name, definition.messages);
      return Flash.setNotice(updated(label), Response.redirect(addressOf(request)));
    }),

    delete: negotiated(json.delete, async (request, { name }) => {
      demandMiddlewares(request);
      const query = operations.query(request);
      const result = await operations.destroy(request);
      const back = Response.redirect(listAddressOf(request) + Query.toQueryString(query));
      if (!result.ok) return Flash.setAlert(sentence(result.error), back);
      const { label, deleted } = messagesOf(name, definition.messages);
      return Flash.setNotice(deleted(label), back);
    }),
  };
}

type Answering<Params extends object, Input> = (
  request: Request<Params>,
  resource: Resource<Input>,
) => HandlerResult | Promise<HandlerResult>;

/** Answers with JSON or with a page, as the client would rather have it, and tells caches that it may be either. */
function negotiated<Params extends object, Input>(
  json: Answering<Params, Input>,
  page: Answering<Params, Input>,
): Answering<Params, Input> {
  return (request, resource) =>
    mapResponse(request.wants("json") ? json(request, resource) : page(request, resource), withVary);
}

const withVary = (response: Response): Response => response.withAddedHeader("vary", "accept");

/** Before anything is changed: a form needs the CSRF check, and pages need flash for what they tell. */
function demandMiddlewares(request: Request): void {
  demandGuard(request);
  Flash.demand(request);
}
