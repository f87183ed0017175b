import { requireCsrfProtection } from "../csrf/token.ts";
import * as Csrf from "../csrf/csrf.ts";
import * as Flash from "../flash/flash.ts";
import { FlashState, requireFlash } from "../flash/flash-state.ts";
import { type HandlerResult, mapResponse } from "../../http/router/index.ts";
import * as Query from "../query/query.ts";
import { type Request, Response } from "../../http/message/index.ts";
import type { Html } from "../../html/index.ts";
import type {
  Identified,
  ItemRequest,
  OptionArguments,
  Resource,
  ResourceController,
  ResourceService,
  ResourceView,
} from "./contract.ts";
import { keptFieldsOf } from "./access.ts";
import { fieldsOf } from "./input.ts";
import { jsonControllerOfService, type JsonOptions } from "./json-controller.ts";
import { invalidText, noticeOf } from "./messages.ts";
import {
  byResource,
  type OperationsDefinition,
  refusalText,
  type Rejection,
  resourceOperations,
  type StaleInput,
} from "./operations.ts";
import { listPathOfItem, urlPathOf } from "./paths.ts";
import { withItemTag } from "./version.ts";
import { errors } from "../errors.ts";
import { conflictOf, conflictPage } from "./conflict.ts";

/** Definition of a controller for `controllerOfService`. */
export interface ControllerDefinition<T, Input, Total extends number | undefined = number>
  extends JsonOptions<T>, OperationsDefinition<T> {
  readonly view: ResourceView<T, Readonly<Record<string, string>>, Readonly<Record<string, string>>, NoInfer<Total>>;
  readonly service: ResourceService<T, Input, OptionArguments, OptionArguments, Total>;
}

/**
 * Creates the controller of `resourceOfService`. Spread it into a custom controller to replace single actions.
 *
 * Create redirects to the list and update to the item (303), with a notice. Delete redirects to the list with its former
 * query (303), with a notice or an alert. Invalid input, and input that the service refuses, gets 422 with the form, and an
 * invalid filter 422 with the list, without items; a missing item gets 404. A change of an item that has another version by now gets 409 with a page that shows both.
 * Requests that prefer JSON are answered by `jsonControllerOfService`.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID, E_PRECONDITION_FAILED, E_PRECONDITION_REQUIRED, the errors of the policy
 * and of reading a body. Before they change anything, they throw E_CSRF_MISSING, E_SESSION_MISSING or E_FLASH_MISSING if the
 * route lacks one of these middlewares.
 *
 * @throws E_QUERY_RULES for the name of a filter or sort column
 */
export function controllerOfService<T extends Identified, Input, Total extends number | undefined = number>(
  definition: ControllerDefinition<T, Input, Total>,
): ResourceController<Input> {
  const { view, service } = definition;
  const json = jsonControllerOfService(definition);
  const { texts } = definition;
  const operationsOf = byResource((resource: Resource<Input>) =>
    resourceOperations(service, { name: resource.name, ...definition }, resource.schema),
  );

  /** Sets the alert of a rejected form, and returns a CSRF token for it. */
  const alertAndFindToken = (request: Request, { message }: Rejection): string => {
    FlashState.of(request).add([["alert", message ?? invalidText(texts)]]);
    return Csrf.find(request);
  };

  const renderConflict = async (
    request: ItemRequest,
    resource: Resource<Input>,
    sent: StaleInput<Input> | undefined,
  ): Promise<Response> => {
    const operations = operationsOf(resource);
    const found = await operations.item(request);
    const { version } = found;
    if (version === undefined) throw errors.E_VERSION_STALE();
    const item = await operations.redact(request, found.item);
    const conflict = conflictOf({
      schema: resource.schema,
      action: urlPathOf(request),
      item,
      version,
      sent,
      keptFields: keptFieldsOf(request),
    });
    const csrf = Csrf.find(request);
    const page: Html = await (view.conflict === undefined
      ? conflictPage(request, csrf, conflict, { ...resource, texts, layout: view.layout })
      : view.conflict(request, csrf, conflict));
    return Response.html(page, { status: 409 });
  };

  return {
    index: negotiateFormat(json.index, async (request, resource) => {
      const { query, items, total, cursors } = await operationsOf(resource).page(request);
      const page = await view.index(request, Csrf.find(request), [items, total], query, cursors);
      return Response.html(page, { status: query.invalid === undefined ? 200 : 422 });
    }),

    new: async (request, resource) => {
      await operationsOf(resource).checkNew(request);
      return Response.html(await view.new(request, Csrf.find(request), resource.schema.fill()));
    },

    create: negotiateFormat(json.create, async (request, resource) => {
      requireMiddlewares(request);
      const operations = operationsOf(resource);
      const outcome = await operations.create(request, resource.schema);
      if (!outcome.ok) {
        const csrf = alertAndFindToken(request, outcome);
        return Response.html(await view.new(request, csrf, outcome.form), { status: 422 });
      }
      const redirect = Response.redirect(urlPathOf(request));
      return Flash.setNotice(
        noticeOf(resource.name, texts, "created"),
        withItemTag(request, redirect, operations.versionOf(outcome.value), outcome.value),
      );
    }),

    show: negotiateFormat(json.show, async (request, resource) => {
      const operations = operationsOf(resource);
      const { item, version } = await operations.item(request);
      const page = await view.show(request, await operations.redact(request, item));
      return withItemTag(request, Response.html(page), version, item);
    }),

    edit: async (request, resource) => {
      const operations = operationsOf(resource);
      const { item } = await operations.item(request);
      await operations.checkEdit(request, item);
      const shown = await operations.redact(request, item);
      const form = resource.schema.fill(fieldsOf(shown, resource.schema));
      return Response.html(await view.edit(request, Csrf.find(request), form, shown));
    },

    update: negotiateFormat(json.update, async (request, resource) => {
      requireMiddlewares(request);
      const operations = operationsOf(resource);
      const found = await operations.item(request);
      const outcome = await operations.update(request, resource.schema, found);
      if (outcome.ok) {
        const redirect = Response.redirect(urlPathOf(request));
        return Flash.setNotice(
          noticeOf(resource.name, texts, "updated"),
          withItemTag(request, redirect, operations.versionOf(outcome.value), outcome.value),
        );
      }
      if (outcome.isStale) return renderConflict(request, resource, outcome);
      const csrf = alertAndFindToken(request, outcome);
      const shown = await operations.redact(request, found.item);
      return Response.html(await view.edit(request, csrf, outcome.form, shown), { status: 422 });
    }),

    delete: negotiateFormat(json.delete, async (request, resource) => {
      requireMiddlewares(request);
      const operations = operationsOf(resource);
      const query = operations.query(request);
      const outcome = await operations.destroy(request, await operations.item(request));
      if (!outcome.ok && outcome.isStale) return renderConflict(request, resource, undefined);
      const path = definition.isSingular === true ? `${request.prefix}/` : listPathOfItem(request);
      const redirect = Response.redirect(path + Query.toQueryString(query));
      if (!outcome.ok) return Flash.setAlert(refusalText(outcome.refusal), redirect);
      return Flash.setNotice(noticeOf(resource.name, texts, "deleted"), redirect);
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
