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

/** Options of `resourceOfController`. */
export interface ResourceOfControllerOptions<
  Input,
  Listed extends Action,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Path of the list, plural by convention: `todos`, `admin/users`. */
  readonly name: Name;
  /**
   * Prefix of the route names, before a dot and the action: `todos.show`. Default: `name` with dots for slashes. Set it if
   * two scopes have resources of the same name.
   */
  readonly routeName?: Routes;
  readonly schema: Schema.RecordSchema<Input>;
  /** Functions of the listed actions; the function of `destroy` is `delete`. */
  readonly controller: Pick<ResourceController<Input>, ControllerMember<Listed>>;
}

/** Options of `resourceOfService`. */
export interface ResourceOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends Action,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
>
  extends JsonOptions<T>, Omit<ResourceOfControllerOptions<Input, Listed, Name, Routes>, "controller"> {
  /** Pages of the listed actions; an invalid `create` shows `new`, and an invalid `update` shows `edit`. */
  readonly view: Partial<ResourceView<T>> & Pick<ResourceView<NoInfer<T>>, ViewMember<NoInfer<Listed>>>;
  /** Functions that the listed actions need. */
  readonly service: Partial<ResourceService<T, Input>> &
    Pick<ResourceService<NoInfer<T>, NoInfer<Input>>, ServiceMember<NoInfer<Listed>>>;
}

/**
 * Creates the routes of a resource, answered by its service and rendered by its view.
 *
 * Needs the session, CSRF and flash middlewares, which are part of `Web.Middleware.site()`.
 *
 * @throws E_RESOURCE_INVALID for a name that is not valid in a path, or if service or view lack a function of an action
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
>(
  options: ResourceOfServiceOptions<T, Input, Listed, Name, Routes>,
): readonly Router<NamedRoutes<Listed, Name, Routes>>[] {
  // The types guarantee the functions of the listed actions; the other actions have no route.
  const view = options.view as ResourceView<T>;
  const service = options.service as ResourceService<T, Input>;
  const controller = controllerOfService<T, Input>({ ...options, view, service });
  return resourceOfController<Input, Listed, Name, Routes>({ ...options, controller });
}

/** Action of a resource without pages. */
export type JsonAction = Exclude<Action, "new" | "edit">;

/** Options of `jsonOfService`. */
export interface JsonOfServiceOptions<T extends Identified, Input, Listed extends JsonAction> extends JsonOptions<T> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Path of the list, plural by convention: `todos`. */
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  /** Functions that the listed actions need. */
  readonly service: Partial<ResourceService<T, Input>> &
    Pick<ResourceService<NoInfer<T>, NoInfer<Input>>, ServiceMember<NoInfer<Listed>>>;
  /**
   * Schema of an item in JSON, for OpenAPI documents. Default: derived from `schema`, or with the option `json` a schema
   * that allows anything.
   */
  readonly jsonSchema?: DescribedSchema;
}

/**
 * Creates the routes of a JSON API for a resource: list, create, show, update (PUT and PATCH) and delete. Errors are
 * always problem documents (RFC 9457).
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
 * Creates the routes of a resource, answered by a controller. Routes have names: `Web.link(request, "todos.show", { id })`.
 *
 * @throws E_RESOURCE_INVALID for a name that is not valid in a path, or if the controller lacks a listed action
 */
export function resourceOfController<
  Input,
  const Listed extends Action = Action,
  const Name extends string = string,
  const Routes extends string = RouteName<Name>,
>(
  options: ResourceOfControllerOptions<Input, Listed, Name, Routes>,
): readonly Router<NamedRoutes<Listed, Name, Routes>>[] {
  const { name, routeName = name.replaceAll("/", ".") } = options;
  const routers = resourceRoutes(options, (action) => ({ name: `${routeName}.${action}` }));
  // The route names and paths of the type match those built by `actionRoutes`.
  return routers as readonly Router<NamedRoutes<Listed, Name, Routes>>[];
}

function resourceRoutes<Input, const Listed extends Action>(
  options: ResourceOfControllerOptions<Input, Listed>,
  optionsOf: (action: Action, method: Method) => RouteOptions,
): readonly Router[] {
  const { name, schema } = options;
  const listedActions = new Set<Action>(options.only ?? actions);
  const resource: Resource<Input> = { name, schema };
  const controller = options.controller as Partial<ResourceController<Input>>;

  return Object.entries(actionRoutes(name)).flatMap(([action, routes]) => {
    if (!listedActions.has(action as Action)) return routes.map(({ method, path }) => reserve([method], path));
    const memberName = action === "destroy" ? "delete" : action;
    const answerAction = controller[memberName as ControllerMember<Action>];
    if (answerAction === undefined)
      throw errors.E_RESOURCE_INVALID(name, `its controller has no function "${memberName}"`);
    const handler: Handler = (request) => answerAction(request as ItemRequest, resource);
    return routes.map(({ method, path }) => routeMakers[method](path, handler, optionsOf(action as Action, method)));
  });
}

/** Prefix of the route names of a resource: its name, with dots for slashes. */
type RouteName<Name extends string> = Name extends `${infer First}/${infer Rest}`
  ? `${First}.${RouteName<Rest>}`
  : Name;

/** Route names of a resource with their paths; `never` for a name that is not a literal type. */
type NamedRoutes<Listed extends Action, Name extends string, Routes extends string> = string extends Name | Routes
  ? never
  : { readonly [A in Listed]: readonly [`${Routes}.${A}`, `/${Name}${PathSuffix<A>}`] }[Listed];

/** Suffix of an action's path after the path of the list. */
type PathSuffix<A extends Action> = A extends "index" | "create"
  ? ""
  : A extends "new"
    ? "/new"
    : A extends "edit"
      ? "/:id/edit"
      : "/:id";

const routeMakers = { GET: get, POST: post, PUT: put, PATCH: patch, DELETE: del };

function actionRoutes(
  name: string,
): Readonly<Record<Action, readonly { readonly method: keyof typeof routeMakers & Method; readonly path: string }[]>> {
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
