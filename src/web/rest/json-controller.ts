import { Form, type Schema } from "../../schema/index.ts";
import { isCsrfProtected } from "../csrf/token.ts";
import { problem } from "../errors/error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import * as Query from "./query.ts";
import { httpErrors, isForm, type Request, Response } from "../../http/message/index.ts";
import type { Identified, ResourceController, ResourceService } from "./contract.ts";
import { messagesOf, type ResourceMessages } from "./messages.ts";
import { refusalText, type Rejection, type RequestOptions, resourceOperations, urlPathOf } from "./operations.ts";

/** Options of a resource that answers with JSON. */
export interface JsonOptions<T> extends RequestOptions {
  /**
   * Converts an item for the response. Default: `id`, the fields of the schema without the sensitive ones, `created_at`
   * and `updated_at`.
   */
  readonly json?: (item: T) => unknown;
  /** Replacements of the default messages. */
  readonly messages?: Partial<ResourceMessages>;
}

/** Definition of a controller for `jsonControllerOfService`. */
export interface JsonControllerDefinition<T, Input> extends JsonOptions<T> {
  readonly service: ResourceService<T, Input>;
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
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID and the errors of reading a body. They throw E_CONTENT_TYPE for a form
 * without a CSRF check, because pages of other sites can send forms.
 */
export function jsonControllerOfService<T extends Identified, Input>(
  definition: JsonControllerDefinition<T, Input>,
): JsonController<Input> {
  const { service, json } = definition;
  const operations = resourceOperations(service, definition);

  return {
    index: async (request, { schema }) => {
      const { query, items, total, cursors } = await operations.list(request);
      const data = items.map(json ?? itemPresenter(schema));
      const { limit, offset } = Query.withDefaults(query);
      if (cursors === undefined) return Response.json({ data, total, limit, offset });
      const { next = null, previous = null } = cursors;
      return Response.json({ data, total, limit, offset: cursors.offset, next, previous });
    },
    create: async (request, { name, schema }) => {
      requireFormCheck(request);
      const outcome = await operations.create(request, schema);
      if (!outcome.ok) return rejection(request, outcome, messagesOf(name, definition.messages));
      const location = `${urlPathOf(request)}/${encodeURIComponent(outcome.value.id)}`;
      return Response.json((json ?? itemPresenter(schema))(outcome.value), { status: 201, headers: { location } });
    },
    show: async (request, { schema }) => Response.json((json ?? itemPresenter(schema))(await operations.item(request))),
    update: async (request, { name, schema }) => {
      requireFormCheck(request);
      const outcome = await operations.update(request, schema, await operations.item(request));
      if (!outcome.ok) return rejection(request, outcome, messagesOf(name, definition.messages));
      return Response.json((json ?? itemPresenter(schema))(outcome.value));
    },
    delete: async (request) => {
      requireFormCheck(request);
      const result = await operations.destroy(request);
      return result.ok
        ? Response.empty()
        : problem(failureOf(errors.E_DELETE_REFUSED(refusalText(result.error))), request.id);
    },
  };
}

function rejection(request: Request, { form, message }: Rejection, { invalid }: ResourceMessages): Response {
  const failure = failureOf(errors.E_FORM_INVALID(message ?? invalid));
  return problem({ ...failure, errors: Form.errors(form) }, request.id);
}

function requireFormCheck(request: Request): void {
  const type = request.header("content-type");
  if (isForm(type) && !isCsrfProtected(request)) throw httpErrors.E_CONTENT_TYPE(type, "application/json");
}

function itemPresenter<Input>(schema: Schema.RecordSchema<Input>): (item: object) => unknown {
  const publicFields = schema.fields.filter((name) => schema.field(name)?.isSensitive !== true);
  const names = new Set(["id", ...publicFields, "created_at", "updated_at"]);
  return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
