import type { Identified, OptionArguments, ResourceController, ResourceService, ResourceView } from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import { checkNames } from "../query/query-filters.ts";
import type { OperationsDefinition } from "./operations.ts";
import { pageActions } from "./page-actions.ts";

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
 * query (303), with a notice or an alert. Invalid input, and input that the service refuses, gets 422 with the form; a
 * missing item gets 404. A change of an item that has another version by now gets 409 with a page that shows both.
 * Requests that prefer JSON are answered by `jsonControllerOfService`.
 *
 * Its functions throw E_NOT_FOUND, E_QUERY_INVALID, E_PRECONDITION_FAILED, E_PRECONDITION_REQUIRED and the errors of
 * reading a body. Before they change anything, they throw E_CSRF_MISSING, E_SESSION_MISSING or E_FLASH_MISSING if the
 * route lacks one of these middlewares.
 *
 * @throws E_QUERY_RULES for the name of a filter or sort column
 */
export function controllerOfService<T extends Identified, Input, Total extends number | undefined = number>(
  definition: ControllerDefinition<T, Input, Total>,
): ResourceController<Input> {
  checkNames(definition);
  return pageActions(definition);
}
