import { isError } from "../../core/index.ts";
import type { Schema } from "../../schema/index.ts";
import { problem } from "../errors/error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import {
  catchError,
  choose,
  del,
  type DescribedSchema,
  get,
  type Handler,
  type Method,
  type Middleware,
  patch,
  post,
  put,
  reserve,
  type RouteOptions,
  type Router,
} from "../../http/router/index.ts";
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
import { controllerOfService } from "./controller.ts";
import { describeJson } from "./description.ts";
import { jsonControllerOfService, type JsonOptions } from "./json-controller.ts";

/** What `resourceOfController` is given. */
export interface ResourceOfControllerOptions<
  Input,
  Listed extends Action,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
> {
  /** The actions that have routes; the others are 404. Default all. */
  readonly only?: readonly Listed[];
  /** Plural by convention, the path of the list: `todos`, `admin/users`. */
  readonly name: Name;
  /**
   * What the names of the routes begin with, before a dot and the action: `todos.show`. Default: `name`, with dots for slashes;
   * say another where two scopes have resources of one name.
   */
  readonly routeName?: Routes;
  readonly schema: Schema.RecordSchema<Input>;
  /** Only the functions of the listed actions are needed; that of `destroy` is `delete`. */
  readonly controller: Pick<ResourceController<Input>, ControllerMember<Listed>>;
}

/** What `resourceOfService` is given. */
export interface ResourceOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends Action,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
>
  extends JsonOptions<T>, Omit<ResourceOfControllerOptions<Input, Listed, Name, Routes>, "controller"> {
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
export function resourceOfService<
  T extends Identified,
  Input,
  const Listed extends Action = Action,
  const Name extends string = string,
  const Routes extends string = RouteName<Name>,
>(options: ResourceOfServiceOptions<T, Input, Listed, Name, Routes>): readonly Router<Named<Listed, Name, Routes>>[] {
  // The types say that all which the listed actions need is there; the other actions have no route.
  const view = options.view as ResourceView<T>;
  const service = options.service as ResourceService<T, Input>;
  const controller = controllerOfService<T, Input>({ ...options, view, service });
  return resourceOfController<Input, Listed, Name, Routes>({ ...options, controller });
}

/** What can be done with a resource that has no pages. */
export type JsonAction = Exclude<Action, "new" | "edit">;

/** What `jsonOfService` is given. */
export interface JsonOfServiceOptions<T extends Identified, Input, Listed extends JsonAction> extends JsonOptions<T> {
  /** The actions that have routes; the others are 404. Default all. */
  readonly only?: readonly Listed[];
  /** Plural by convention, the path of the list: `todos`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  /** Only what the listed actions ask for is needed. */
  readonly service: Partial<ResourceService<T, Input>> &
    Pick<ResourceService<NoInfer<T>, NoInfer<Input>>, ServiceMember<NoInfer<Listed>>>;
  /**
   * What is sent of an item, for OpenAPI documents. Default: what is sent without `json`, by the schema; beside a `json` of
   * your own anything.
   */
  readonly jsonSchema?: DescribedSchema;
}

/**
 * The routes of a resource for programs: list, create, show, update (PUT and PATCH) and delete, all in JSON. Errors are
 * problem documents (RFC 9457), whatever the client accepts.
 *
 * @throws E_RESOURCE_INVALID
 * @example
 * Web.choose([...Web.Rest.jsonOfService({ name: "todos", schema, service: Todo })], {
 *   scope: "/api",
 *   middlewares: Web.Middleware.api(),
 * });
 */
export function jsonOfService<T extends Identified, Input, const Listed extends JsonAction = JsonAction>(
  options: JsonOfServiceOptions<T, Input, Listed>,
): readonly Router[] {
  const { name, schema } = options;
  const service = options.service as ResourceService<T, Input>;
  const controller = jsonControllerOfService<T, Input>({ ...options, service });
  const only: readonly JsonAction[] = options.only ?? jsonActions;
  const middlewares = [withProblems];
  const describe = describeJson(options);
  const routes = resourceRoutes({ only, name, schema, controller }, (action, method) => ({
    describe: describe(action, method),
  }));
  return routes.map((router) => choose([router], { middlewares }));
}

const jsonActions: readonly JsonAction[] = ["index", "create", "show", "update", "destroy"];

const withProblems: Middleware = (handler) => (request) =>
  catchError(handler, request, (error) => {
    if (!isError(error) || !error.expose) throw error;
    return problem(failureOf(error), request.id);
  });

/**
 * The seven routes of a resource, answered by a controller. They are named: `Web.link(request, "todos.show", { id })`.
 *
 * @throws E_RESOURCE_INVALID for a name that cannot stand in a path, or when the controller lacks a listed action.
 */
export function resourceOfController<
  Input,
  const Listed extends Action = Action,
  const Name extends string = string,
  const Routes extends string = RouteName<Name>,
>(options: ResourceOfControllerOptions<Input, Listed, Name, Routes>): readonly Router<Named<Listed, Name, Routes>>[] {
  const { name, routeName = name.replaceAll("/", ".") } = options;
  const routers = resourceRoutes(options, (action) => ({ name: `${routeName}.${action}` }));
  // The names and paths that the type tells are those that the routes have.
  return routers as readonly Router<Named<Listed, Name, Routes>>[];
}

function resourceRoutes<Input, const Listed extends Action>(
  options: ResourceOfControllerOptions<Input, Listed>,
  optionsOf: (action: Action, method: Method) => RouteOptions,
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
    return routes.map(({ method, path }) => makers[method](path, handler, optionsOf(action as Action, method)));
  });
}

/** What the names of a resource's routes begin with: its name, with dots for slashes. */
type RouteName<Name extends string> = Name extends `${infer First}/${infer Rest}`
  ? `${First}.${RouteName<Rest>}`
  : Name;

/** The names of a resource's routes, with their paths. A name that is only known at run time tells the type checker nothing. */
type Named<Listed extends Action, Name extends string, Routes extends string> = string extends Name | Routes
  ? never
  : { readonly [A in Listed]: readonly [`${Routes}.${A}`, `/${Name}${Behind<A>}`] }[Listed];

/** What stands behind the path of the list. */
type Behind<A extends Action> = A extends "index" | "create"
  ? ""
  : A extends "new"
    ? "/new"
    : A extends "edit"
      ? "/:id/edit"
      : "/:id";

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
