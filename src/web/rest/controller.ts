import { requireCsrfProtection } from "../csrf/token.ts";
import * as Csrf from "../csrf/csrf.ts";
import * as Flash from "../flash/flash.ts";
import { addFlashMessages, requireFlash } from "../flash/flash-state.ts";
import { type HandlerResult, mapResponse } from "../../http/router/index.ts";
import * as Query from "./query.ts";
import { type Request, Response } from "../../http/message/index.ts";
import type { Identified, Resource, ResourceController, ResourceService, ResourceView } from "./contract.ts";
import { fieldsOf } from "./input.ts";
import { jsonControllerOfService, type JsonOptions } from "./json-controller.ts";
import { messagesOf } from "./messages.ts";
import { listUrlPathOf, refusalText, type Rejection, resourceOperations, urlPathOf } from "./operations.ts";

/** Definition of a controller for `controllerOfService`. */
export interface ControllerDefinition<T, Input> extends JsonOptions<T> {
  readonly view: ResourceView<T>;
  readonly service: ResourceService<T, Input>;
}

/**
 * Creates the controller of `resourceOfService`. Spread it into a custom controller to replace single actions.
 *
 * Create redirects to the list and update to the item (303), with a notice. Delete redirects to the list with its former
 * query (303), with a notice or an alert. Invalid input, and input that the service refuses, gets 422 with the form; a
 * missing item gets 404. Requests that prefer JSON are answered by `jsonControllerOfService`.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID and the errors of reading a body. Before they change anything, they
 * throw E_CSRF_MISSING, E_SESSION_MISSING or E_FLASH_MISSING if the route lacks one of these middlewares.
 */
export function controllerOfService<T extends Identified, Input>(
  definition: ControllerDefinition<T, Input>,
): ResourceController<Input> {
  const { view, service } = definition;
  const operations = resourceOperations(service, definition);
  const json = jsonControllerOfService(definition);

  /** Sets the alert of a rejected form, and returns a CSRF token for it. */
  const alertAndFindToken = (request: Request, { name }: Resource<Input>, { message }: Rejection): string => {
    addFlashMessages([["alert", message ?? messagesOf(name, definition.messages).invalid]], request);
    return Csrf.find(request);
  };

  return {
    index: negotiateFormat(json.index, async (request) => {
      const { query, items, total, cursors } = await operations.list(request);
      return Response.html(await view.index(request, Csrf.find(request), [items, total], query, cursors));
    }),

    new: async (request, { schema }) => Response.html(await view.new(request, Csrf.find(request), schema.fill())),

    create: negotiateFormat(json.create, async (request, resource) => {
      requireMiddlewares(request);
      const outcome = await operations.create(request, resource.schema);
      if (!outcome.ok) {
        const csrf = alertAndFindToken(request, resource, outcome);
        return Response.html(await view.new(request, csrf, outcome.form), { status: 422 });
      }
      const { label, created } = messagesOf(resource.name, definition.messages);
      return Flash.setNotice(created(label), Response.redirect(urlPathOf(request)));
    }),

    show: negotiateFormat(json.show, async (request) =>
      Response.html(await view.show(request, await operations.item(request))),
    ),

    edit: async (request, { schema }) => {
      const item = await operations.item(request);
      return Response.html(await view.edit(request, Csrf.find(request), schema.fill(fieldsOf(item, schema)), item));
    },

    update: negotiateFormat(json.update, async (request, resource) => {
      requireMiddlewares(request);
      const item = await operations.item(request);
      const outcome = await operations.update(request, resource.schema, item);
      if (!outcome.ok) {
        const csrf = alertAndFindToken(request, resource, outcome);
        return Response.html(await view.edit(request, csrf, outcome.form, item), { status: 422 });
      }
      const { label, updated } = messagesOf(resource.name, definition.messages);
      return Flash.setNotice(updated(label), Response.redirect(urlPathOf(request)));
    }),

    delete: negotiateFormat(json.delete, async (request, { name }) => {
      requireMiddlewares(request);
      const query = operations.query(request);
      const result = await operations.destroy(request);
      const redirect = Response.redirect(listUrlPathOf(request) + Query.toQueryString(query));
      if (!result.ok) return Flash.setAlert(refusalText(result.error), redirect);
      const { label, deleted } = messagesOf(name, definition.messages);
      return Flash.setNotice(deleted(label), redirect);
    }),
  };
}

type ActionHandler<Params extends object, Input> = (
  request: Request<Params>,
  resource: Resource<Input>,
) => HandlerResult | Promise<HandlerResult>;

/** Answers with JSON or with a page, by `Accept`, and adds `Vary: Accept`. */
function negotiateFormat<Params extends object, Input>(
  json: ActionHandler<Params, Input>,
  page: ActionHandler<Params, Input>,
): ActionHandler<Params, Input> {
  return (request, resource) =>
    mapResponse(request.wants("json") ? json(request, resource) : page(request, resource), withVary);
}

const withVary = (response: Response): Response => response.withAddedHeader("vary", "accept");

/** Checks before any change that the CSRF and flash middlewares run for the request. */
function requireMiddlewares(request: Request): void {
  requireCsrfProtection(request);
  requireFlash(request);
}
