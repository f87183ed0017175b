import type { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import type { Handler } from "../handler.ts";
import { del, get, type Method, patch, post, put, reserve, type Router } from "../router/route.ts";
import {
  type Action,
  actions,
  type ControllerMember,
  type Identified,
  type ItemRequest,
  type Resource,
  type ResourceController,
  type ResourceService,
  type ResourceView,
  type ServiceMember,
  type ViewMember,
} from "./contract.ts";
import { controllerOfService, type ControllerOptions } from "./controller.ts";

/** What `resourceOfController` is given. */
export interface ResourceOfControllerOptions<Input, Listed extends Action> {
  /** The actions that have routes; the others are 404. Default all. */
  readonly only?: readonly Listed[];
  /** Plural by convention, the path of the list: `todos`, `admin/users`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  /** Only the functions of the listed actions are needed; that of `destroy` is `delete`. */
  readonly controller: Pick<ResourceController<Input>, ControllerMember<Listed>>;
}

/** What `resourceOfService` is given. */
export interface ResourceOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends Action,
> extends ControllerOptions<T> {
  /** The actions that have routes; the others are 404. Default all. */
  readonly only?: readonly Listed[];
  /** Plural by convention, the path of the list: `todos`, `admin/users`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  /** Only the pages of the listed actions are needed; `create` shows `new` again, and `update` shows `edit`. */
  readonly view: Partial<ResourceView<T>> & Pick<ResourceView<NoInfer<T>>, ViewMember<NoInfer<Listed>>>;
  /** Only what the listed actions ask for is needed. */
  readonly service: Partial<ResourceService<T, Input>> &
    Pick<ResourceService<NoInfer<T>, NoInfer<Input>>, ServiceMember<NoInfer<Listed>>>;
}

/**
 * The seven routes of a resource, answered by its service and shown by its view.
 *
 * Needs the middlewares session, CSRF and flash around them, which `Web.Middleware.site()` holds.
 *
 * @throws E_RESOURCE_INVALID for a name that cannot stand in a path, or when service or view lack what an action needs.
 * @example
 * Web.choose([...Web.Rest.resourceOfService({ name: "todos", schema, view: TodoView, service: Todo })], {
 *   middlewares: Web.Middleware.site(),
 * });
 */
export function resourceOfService<T extends Identified, Input, const Listed extends Action = Action>(
  options: ResourceOfServiceOptions<T, Input, Listed>,
): readonly Router[] {
  const { only, name, schema } = options;
  // The types say that all which the listed actions need is there; the other actions have no route.
  const view = options.view as ResourceView<T>;
  const service = options.service as ResourceService<T, Input>;
  const controller = controllerOfService<T, Input>({ ...options, view, service });
  return resourceOfController<Input>({ ...(only === undefined ? {} : { only }), name, schema, controller });
}

/**
 * The seven routes of a resource, answered by a controller.
 *
 * @throws E_RESOURCE_INVALID for a name that cannot stand in a path, or when the controller lacks a listed action.
 */
export function resourceOfController<Input, const Listed extends Action = Action>(
  options: ResourceOfControllerOptions<Input, Listed>,
): readonly Router[] {
  const { name, schema } = options;
  const listed = new Set<Action>(options.only ?? actions);
  const resource: Resource<Input> = { name, schema };
  const controller = options.controller as Partial<ResourceController<Input>>;

  return Object.entries(routesOf(name)).flatMap(([action, routes]) => {
    if (!listed.has(action as Action)) return routes.map(({ method, path }) => reserve([method], path));
    const member = action === "destroy" ? "delete" : action;
    const answer = controller[member as ControllerMember<Action>];
    if (answer === undefined) throw errors.E_RESOURCE_INVALID(name, `its controller has no function "${member}"`);
    const handler: Handler = (request) => answer(request as ItemRequest, resource);
    return routes.map(({ method, path }) => makers[method](path, handler));
  });
}

const makers = { GET: get, POST: post, PUT: put, PATCH: patch, DELETE: del };

function routesOf(
  name: string,
): Readonly<Record<Action, readonly { readonly method: keyof typeof makers & Method; readonly path: string }[]>> {
  if (!/^[a-z0-9]+(?:[-_./][a-z0-9]+)*$/i.test(name)) {
    throw errors.E_RESOURCE_INVALID(
      name,
      "a name is made of letters, digits, hyphens and underscores: todos, admin/users",
    );
  }
  const list = `/${name}`;
  const item = `${list}/:id`;
  return {
    index: [{ method: "GET", path: list }],
    create: [{ method: "POST", path: list }],
    new: [{ method: "GET", path: `${list}/new` }],
    show: [{ method: "GET", path: item }],
    edit: [{ method: "GET", path: `${item}/edit` }],
    update: [
      { method: "PUT", path: item },
      { method: "PATCH", path: item },
    ],
    destroy: [{ method: "DELETE", path: item }],
  };
}
