import { Form } from "../../schema/index.ts";
import { isCsrfProtected } from "../csrf/token.ts";
import { problem } from "../errors/error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import * as Query from "../query/query.ts";
import { httpErrors, isForm, isJson, type Request, Response } from "../../http/message/index.ts";
import { requireReadable } from "./access.ts";
import type { Identified, OptionArguments, Resource, ResourceController, ResourceService } from "./contract.ts";
import { invalidText, type ResourceTexts } from "./messages.ts";
import {
  byResource,
  type OperationsDefinition,
  refusalText,
  type Rejection,
  type RequestOptions,
  resourceOperations,
} from "./operations.ts";
import { itemPathOfList, urlPathOf } from "./paths.ts";
import { itemPresenter, type PresenterOptions } from "./presenter.ts";
import { checkNames } from "../query/query-filters.ts";
import { withItemTag } from "./version.ts";

/** Options of a resource that answers with JSON. */
export interface JsonOptions<T> extends RequestOptions<T>, PresenterOptions<T> {
  /** Texts of the resource, such as a group of a catalogue: `text.book`. They are read on each request. */
  readonly texts?: Partial<ResourceTexts>;
}

/** Definition of a controller for `jsonControllerOfService`. */
export interface JsonControllerDefinition<T, Input> extends JsonOptions<T>, OperationsDefinition<T> {
  readonly service: ResourceService<T, Input, OptionArguments, OptionArguments, number | undefined>;
}

/** Controller functions of a JSON resource: all except `new` and `edit`. */
export type JsonController<Input> = Omit<ResourceController<Input>, "new" | "edit">;

/**
 * Creates the controller of `jsonOfService`. Spread it into a custom controller to replace single actions.
 *
 * A list gets 200 with `data`, `total`, `limit` and `offset`. If the service returns cursors, `next` and `previous` hold
 * them for `after` and `before`, or `null`. A creation gets 201 with `Location` and the item, a change 200 with the item,
 * a deletion 204. Invalid or refused input gets 422 with messages by field, a refused deletion 409.
 *
 * An item with a version has an entity tag. A change of it without `If-Match`, and without `version` in the body, is 428.
 * Another version is 412 with `If-Match`, and 409 in the body.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID, E_PRECONDITION_FAILED, E_PRECONDITION_REQUIRED, E_VERSION_STALE and
 * the errors of reading a body. They throw E_CONTENT_TYPE for a form without a CSRF check, which other sites can send.
 *
 * @throws E_QUERY_RULES for the name of a filter or sort column
 */
export function jsonControllerOfService<T extends Identified, Input>(
  definition: JsonControllerDefinition<T, Input>,
): JsonController<Input> {
  checkNames(definition);
  requireReadable(definition);
  const { service } = definition;
  const partsOf = byResource((resource: Resource<Input>) => {
    const operations = resourceOperations(service, { name: resource.name, ...definition }, resource.schema);
    const hasVersion = (item: T): boolean => operations.versionOf(item) !== undefined;
    return {
      operations,
      presenter: itemPresenter(resource.schema, definition, hasVersion),
    };
  });

  return {
    index: async (request, resource) => {
      const { operations, presenter } = partsOf(resource);
      operations.checkParameters(request);
      const selection = presenter.select(request);
      const { query, items, total, cursors } = await operations.list(request, selection.include);
      const data = items.map((item) => presenter.present(item, selection));
      const { limit, offset } = Query.withDefaults(query);
      if (cursors === undefined) return Response.json({ data, total, limit, offset });
      const { next = null, previous = null } = cursors;
      return Response.json({ data, total, limit, offset: cursors.offset, next, previous });
    },
    create: async (request, resource) => {
      requireInput(request);
      const { operations, presenter } = partsOf(resource);
      const selection = presenter.selectFields(request);
      const outcome = await operations.create(request, resource.schema);
      if (!outcome.ok) return rejection(request, outcome, definition.texts);
      const { value } = outcome;
      const location = definition.isSingular === true ? urlPathOf(request) : itemPathOfList(request, value.id);
      const shown = presenter.present(await operations.redact(request, value), selection);
      const response = Response.json(shown, { status: 201, headers: { location } });
      return withItemTag(request, withContentLocation(request, response, location), operations.versionOf(value), value);
    },
    show: async (request, resource) => {
      const { operations, presenter } = partsOf(resource);
      const selection = presenter.select(request);
      const { item, version } = await operations.item(request, selection.include);
      const shown = presenter.present(await operations.redact(request, item), selection);
      return withItemTag(request, Response.json(shown), version, item);
    },
    update: async (request, resource) => {
      requireInput(request);
      const { operations, presenter } = partsOf(resource);
      const selection = presenter.selectFields(request);
      const outcome = await operations.update(request, resource.schema, await operations.item(request));
      if (outcome.ok) {
        const response = Response.json(presenter.present(await operations.redact(request, outcome.value), selection));
        const located = withContentLocation(request, response, urlPathOf(request));
        return withItemTag(request, located, operations.versionOf(outcome.value), outcome.value);
      }
      if (outcome.isStale) throw errors.E_VERSION_STALE();
      return rejection(request, outcome, definition.texts);
    },
    delete: async (request, resource) => {
      requireFormCheck(request);
      const { operations } = partsOf(resource);
      const outcome = await operations.destroy(request, await operations.item(request));
      if (outcome.ok) return Response.empty();
      if (outcome.isStale) throw errors.E_VERSION_STALE();
      return problem(failureOf(errors.E_DELETE_REFUSED(refusalText(outcome.refusal))), request.id);
    },
  };
}

/**
 * Says that the content of a response to a change is what GET of the item would return, with the selected `fields`: the
 * entity tag is that of this representation, and a cache may store it (RFC 9110 §8.7).
 */
function withContentLocation(request: Request, response: Response, itemPath: string): Response {
  const fields = request.query.get("fields") ?? "";
  const query = fields === "" ? "" : `?fields=${encodeURIComponent(fields).replaceAll("%2C", ",")}`;
  return response.withHeader("content-location", itemPath + query);
}

function rejection(request: Request, { form, message }: Rejection, texts?: Partial<ResourceTexts>): Response {
  const failure = failureOf(errors.E_FORM_INVALID(message ?? invalidText(texts)));
  return problem({ ...failure, errors: Form.errors(form) }, request.id);
}

/** Checks that a body is JSON, or a form with a CSRF check. */
function requireInput(request: Request): void {
  const type = request.header("content-type");
  if (!isJson(type) && !isForm(type)) throw httpErrors.E_CONTENT_TYPE(type, "application/json");
  requireFormCheck(request);
}

function requireFormCheck(request: Request): void {
  const type = request.header("content-type");
  if (isForm(type) && !isCsrfProtected(request)) throw httpErrors.E_CONTENT_TYPE(type, "application/json");
}
