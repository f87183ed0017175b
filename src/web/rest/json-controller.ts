import { Form, type Schema } from "../../schema/index.ts";
import { isGuarded } from "../csrf/guard.ts";
import { problem } from "../errors/error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import * as Query from "./query.ts";
import { httpErrors, isForm, type Request, Response } from "../../http/message/index.ts";
import { addressOf } from "./address.ts";
import type { Identified, ResourceController, ResourceService } from "./contract.ts";
import { messagesOf, type ResourceMessages } from "./messages.ts";
import { operationsOf, type Rejection, type RequestOptions, sentence } from "./operations.ts";

/** What a resource that answers with JSON can be given beside its service. */
export interface JsonOptions<T> extends RequestOptions {
  /**
   * What of an item is sent. Default: `id`, the fields of the schema but for the sensitive ones, `created_at` and
   * `updated_at`.
   */
  readonly json?: (item: T) => unknown;
  /** Replaces what users are told. */
  readonly messages?: Partial<ResourceMessages>;
}

/** What `jsonControllerOfService` is given. */
export interface JsonControllerDefinition<T, Input> extends JsonOptions<T> {
  readonly service: ResourceService<T, Input>;
}

/** The functions of a controller that have no form to show. */
export type JsonController<Input> = Omit<ResourceController<Input>, "new" | "edit">;

/**
 * The controller that `jsonOfService` uses: spread it into one of your own to answer an action differently.
 *
 * Answers 200 with `data`, `total`, `limit` and `offset` to a list, and with `next` and `previous`, cursors for `after`
 * and `before` or `null`, when the service gives them; 201 with `Location` and the item to a creation, 200 with the item
 * to a change, 204 to a deletion; 422 to input that is not valid or refused, with messages by field, and 409 to a
 * refused deletion.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID, and what reading a body throws; E_CONTENT_TYPE for a form that nobody
 * has checked, because a page of any site could send one.
 */
export function jsonControllerOfService<T extends Identified, Input>(
  definition: JsonControllerDefinition<T, Input>,
): JsonController<Input> {
  const { service, json } = definition;
  const operations = operationsOf(service, definition);

  return {
    index: async (request, { schema }) => {
      const { query, items, total, cursors } = await operations.list(request);
      const data = items.map(json ?? presenter(schema));
      const { limit, offset } = Query.withDefaults(query);
      if (cursors === undefined) return Response.json({ data, total, limit, offset });
      const { next = null, previous = null } = cursors;
      return Response.json({ data, total, limit, offset: cursors.offset, next, previous });
    },
    create: async (request, { name, schema }) => {
      demandChecked(request);
      const outcome = await operations.create(request, schema);
      if (!outcome.ok) return rejection(request, outcome, messagesOf(name, definition.messages));
      const location = `${addressOf(request)}/${encodeURIComponent(outcome.value.id)}`;
      return Response.json((json ?? presenter(schema))(outcome.value), { status: 201, headers: { location } });
    },
    show: async (request, { schema }) => Response.json((json ?? presenter(schema))(await operations.item(request))),
    update: async (request, { name, schema }) => {
      demandChecked(request);
      const outcome = await operations.update(request, schema, await operations.item(request));
      if (!outcome.ok) return rejection(request, outcome, messagesOf(name, definition.messages));
      return Response.json((json ?? presenter(schema))(outcome.value));
    },
    delete: async (request) => {
      demandChecked(request);
      const result = await operations.destroy(request);
      return result.ok
        ? Response.empty()
        : problem(failureOf(errors.E_DELETE_REFUSED(sentence(result.error))), request.id);
    },
  };
}

function rejection(request: Request, { form, message }: Rejection, { invalid }: ResourceMessages): Response {
  const failure = failureOf(errors.E_FORM_INVALID(message ?? invalid));
  return problem({ ...failure, errors: Form.errors(form) }, request.id);
}

function demandChecked(request: Request): void {
  const type = request.header("content-type");
  if (isForm(type) && !isGuarded(request)) throw httpErrors.E_CONTENT_TYPE(type, "application/json");
}

function presenter<Input>(schema: Schema.RecordSchema<Input>): (item: object) => unknown {
  const open = schema.fields.filter((name) => schema.field(name)?.isSensitive !== true);
  const names = new Set(["id", ...open, "created_at", "updated_at"]);
  return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
