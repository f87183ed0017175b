import type { Identified, OptionArguments, ResourceController, ResourceService } from "./contract.ts";
import { jsonActions } from "./json-actions.ts";
import { checkNames } from "../query/query-filters.ts";
import type { ResourceMessages } from "./messages.ts";
import type { OperationsDefinition, RequestOptions } from "./operations.ts";
import type { PresenterOptions } from "./presenter.ts";

/** Options of a resource that answers with JSON. */
export interface JsonOptions<T> extends RequestOptions<T>, PresenterOptions<T> {
  /** Replacements of the default messages. */
  readonly messages?: Partial<ResourceMessages>;
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
 * the errors of reading a body. They throw E_CONTENT_TYPE for a form without a CSRF check, because pages of other sites
 * can send forms.
 *
 * @throws E_QUERY_RULES for the name of a filter or sort column
 */
export function jsonControllerOfService<T extends Identified, Input>(
  definition: JsonControllerDefinition<T, Input>,
): JsonController<Input> {
  checkNames(definition);
  return jsonActions(definition);
}
