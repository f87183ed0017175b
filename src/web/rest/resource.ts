import { isError, lazy } from "../../core/index.ts";
import type { Schema } from "../../schema/index.ts";
import { problem } from "../errors/error-page.ts";
import { describeOnDemand } from "../openapi/description.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import {
  catchError,
  choose,
  type DescribedSchema,
  type Method,
  type Middleware,
  type RouteOptions,
  type Router,
} from "../../http/router/index.ts";
import { guardOf, requireActions, type ResourceParent } from "./access.ts";
import {
  type Action,
  actions,
  type ControllerMember,
  type Identified,
  type OptionArguments,
  type ResourceController,
  type ResourceService,
  type ResourceView,
  type ServiceMember,
  type ServiceOptions,
  type ViewMember,
} from "./contract.ts";
import { type ControllerDefinition, controllerOfService } from "./controller.ts";
import { type JsonControllerDefinition, jsonControllerOfService, type JsonOptions } from "./json-controller.ts";
import { type NamedRoutes, type ParentParams, resourceRoutes, type RouteName } from "./routes.ts";
import { adaptSchema, isStandardObjectSchema, type JsonResourceSchema } from "./standard-schema.ts";
import type { OperationsDefinition } from "./operations.ts";
import { itemVersions } from "./version.ts";
import { describeJson } from "./description.ts";

/** Options of `resourceOfController`. */
export interface ResourceOfControllerOptions<
  Input,
  Listed extends Action,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Path of the list, plural by convention: `todos`, `admin/users`; of the item for a singular resource: `profile`. */
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

/** Options of a resource below others. */
export interface ParentOptions<T, Parent extends string, Shallow extends boolean> {
  /**
   * Parents of the items. The routes are below their path: `/projects/:project/issues`. Default: none.
   *
   * @example
   * const parent = {
   *   path: "/projects/:project",
   *   find: ({ project }: { readonly project: string }) => Project.findOpt(project),
   *   of: (issue: Issue) => ({ project: issue.project_id }),
   * } as const;
   */
  readonly parent?: ResourceParent<
    T,
    Parent,
    ParentParams<NoInfer<Parent>>,
    Shallow extends true ? ParentParams<NoInfer<Parent>> : Partial<ParentParams<NoInfer<Parent>>>
  >;
  /** True if the routes of items are not below the parents: `/projects/:project/issues`, but `/issues/:id`. Default false. */
  readonly shallow?: Shallow;
}

/** Last argument of the service functions for lists and new items. */
export type ListArguments<Parent extends string> = Parent extends ""
  ? OptionArguments
  : readonly [options: ServiceOptions<ParentParams<Parent>> & { readonly params: ParentParams<Parent> }];

/** Last argument of the service functions for items. Shallow items have parameters only after they are found. */
export type ItemArguments<Parent extends string, Shallow extends boolean> = Shallow extends true
  ? readonly [options?: ServiceOptions<ParentParams<Parent>>]
  : ListArguments<Parent>;

type ItemParams<Parent extends string, Shallow extends boolean> = Shallow extends true
  ? { readonly id: string }
  : Parent extends ""
    ? ParentParams<Parent>
    : ParentParams<Parent> & { readonly id: string };

/** Literal types of the definition of a resource. They type its functions, and links to its routes. */
export interface ResourceTypes {
  /** Listed actions. */
  readonly only: Action;
  readonly name: string;
  readonly routeName: string;
  /** Path of the parents, empty without them. */
  readonly parent: string;
  readonly shallow: boolean;
}

/** Functions of a service or a view: all of them optional, except those that the listed actions need. */
export type Members<All, Needed extends keyof All> = Partial<All> & NoInfer<Pick<All, Needed>>;

type ViewOf<T, Parent extends string, Shallow extends boolean, Total extends number | undefined> = ResourceView<
  T,
  ParentParams<NoInfer<Parent>>,
  ItemParams<NoInfer<Parent>, NoInfer<Shallow>>,
  NoInfer<Total>
>;

type ServiceOf<
  T,
  Input,
  Parent extends string,
  Shallow extends boolean,
  Total extends number | undefined,
> = ResourceService<T, Input, ListArguments<NoInfer<Parent>>, ItemArguments<NoInfer<Parent>, NoInfer<Shallow>>, Total>;

/** Options of `resourceOfService`. `Total` is the type of the number of all items: `undefined` if they are not counted. */
export interface ResourceOfServiceOptions<
  T extends Identified,
  Input,
  Types extends ResourceTypes,
  Total extends number | undefined = number,
>
  extends
    JsonOptions<T>,
    ParentOptions<T, Types["parent"], Types["shallow"]>,
    Omit<ResourceOfControllerOptions<Input, Types["only"], Types["name"], Types["routeName"]>, "controller"> {
  /** Pages of the listed actions; an invalid `create` shows `new`, and an invalid `update` shows `edit`. */
  readonly view: Members<ViewOf<T, Types["parent"], Types["shallow"], Total>, ViewMember<NoInfer<Types["only"]>>>;
  /** Functions that the listed actions need. */
  readonly service: Members<
    ServiceOf<T, Input, Types["parent"], Types["shallow"], Total>,
    ServiceMember<NoInfer<Types["only"]>>
  >;
}

/**
 * Creates the routes of a resource, answered by its service and rendered by its view.
 *
 * Needs the session, CSRF and flash middlewares, which are part of `Web.Middleware.site()`.
 *
 * @throws E_RESOURCE_INVALID for a name that is not valid in a path, for a schema that is not made by `Schema.record`, or
 *   if service or view lack a function of an action; E_QUERY_RULES for the name of a filter or sort column
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
  const Parent extends string = "",
  const Shallow extends boolean = false,
  Total extends number | undefined = number,
>(
  options: ResourceOfServiceOptions<
    T,
    Input,
    { only: Listed; name: Name; routeName: Routes; parent: Parent; shallow: Shallow },
    Total
  >,
): readonly Router<NamedRoutes<Listed, Name, Routes, Parent, Shallow>>[];
export function resourceOfService<T extends Identified, Input>(
  options: PageResource<T, Input, ResourceService<T, Input>>,
): readonly Router[] {
  return pageRoutes(options);
}

/** Definition of a resource with pages, whose view and service have at least the functions of the listed actions. */
export interface PageResource<T, Input, Service>
  extends
    JsonOptions<T>,
    OperationsDefinition<T>,
    Omit<ResourceOfControllerOptions<Input, Action>, "controller" | "name"> {
  readonly name: string;
  readonly view: Partial<ResourceView<T>>;
  readonly service: Partial<Service>;
}

/** Creates the routes of a resource with pages. */
export function pageRoutes<T extends Identified, Input>(
  options: PageResource<T, Input, ResourceService<T, Input>>,
): readonly Router[] {
  const { name, schema, routeName = name.replaceAll("/", ".") } = options;
  requireFormSchema(name, schema);
  itemVersions(name, schema.fields, options.versions);
  requireActions(options, options.only ?? actions, schema);
  // Actions that are not listed have no route, so the functions that they would call may be missing.
  const controller = controllerOfService(options as ControllerDefinition<T, Input>);
  return resourceRoutes({
    ...options,
    controller,
    optionsOf: (action) => ({ name: `${routeName}.${action}`, guard: guardOf(options.policy, action) }),
  });
}

/** Action of a resource without pages. */
export type JsonAction = Exclude<Action, "new" | "edit">;

/** Options of `jsonOfService`. */
export interface JsonOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends JsonAction,
  Parent extends string = "",
  Shallow extends boolean = false,
>
  extends JsonOptions<T>, ParentOptions<T, Parent, Shallow>, JsonResource<Input> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Functions that the listed actions need. */
  readonly service: Members<ServiceOf<T, Input, Parent, Shallow, number | undefined>, ServiceMember<NoInfer<Listed>>>;
}

/** Options of a resource without pages. */
export interface JsonResource<Input> {
  /** Path of the list, plural by convention: `todos`. A singular resource has the path of its item: `profile`. */
  readonly name: string;
  /** Schema of the input: of `Schema.record`, or of any library that follows Standard Schema and Standard JSON Schema. */
  readonly schema: JsonResourceSchema<Input>;
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
 * @throws E_RESOURCE_INVALID for a name that is not valid in a path, or for a schema that is neither a record nor an object
 *   schema with a JSON Schema; E_QUERY_RULES for the name of a filter or sort column
 * @example
 * Web.choose([...Web.Rest.jsonOfService({ name: "todos", schema, service: Todo })], {
 *   scope: "/api",
 *   middlewares: Web.Middleware.api(),
 * });
 */
export function jsonOfService<
  T extends Identified,
  Input,
  const Listed extends JsonAction = JsonAction,
  const Parent extends string = "",
  const Shallow extends boolean = false,
>(options: JsonOfServiceOptions<T, Input, Listed, Parent, Shallow>): readonly Router[];
export function jsonOfService<T extends Identified, Input>(
  options: JsonResourceDefinition<T, Input>,
): readonly Router[] {
  return jsonRoutes(options, jsonActions);
}

/** Definition of a JSON resource with the actions of its routes. */
export type JsonResourceDefinition<T, Input> = JsonControllerDefinition<T, Input> &
  JsonResource<Input> & { readonly only?: readonly Action[] };

/** Creates the routes of a JSON resource, whose errors are problem documents. Without `only`, it has `allActions`. */
export function jsonRoutes<T extends Identified, Input>(
  options: JsonResourceDefinition<T, Input>,
  allActions: readonly Action[],
): readonly Router[] {
  const { name, only = allActions, parent, shallow, isSingular = false } = options;
  const schema = recordSchemaOf(name, options.schema);
  itemVersions(name, schema.fields, options.versions);
  requireActions(options, only, schema);
  const controller = jsonControllerOfService(options);
  const describe = lazy(() => describeJson({ ...options, schema }));
  const optionsOf = (action: Action, method: Method): RouteOptions => ({
    guard: guardOf(options.policy, action),
    describe: describeOnDemand(() => describe()(action, method)),
  });
  const routers = resourceRoutes({ name, only, schema, controller, parent, shallow, isSingular, optionsOf });
  return routers.map((router) => choose([router], { middlewares: [withProblems] }));
}

const jsonActions: readonly JsonAction[] = ["index", "create", "show", "update", "destroy"];

/** Answers errors of the client with problem documents (RFC 9457). */
const withProblems: Middleware = (handler) => (request) =>
  catchError(handler, request, (error) => {
    if (!isError(error) || !error.expose) throw error;
    return problem(failureOf(error), request.id);
  });

/**
 * Creates the routes of a resource, answered by a controller. Routes have names: `Web.link(request, "todos.show", { id })`.
 *
 * @throws E_RESOURCE_INVALID for a name that is not valid in a path, for a schema that is not made by `Schema.record`, or
 *   if the controller lacks a listed action
 */
export function resourceOfController<
  Input,
  const Listed extends Action = Action,
  const Name extends string = string,
  const Routes extends string = RouteName<Name>,
>(
  options: ResourceOfControllerOptions<Input, Listed, Name, Routes>,
): readonly Router<NamedRoutes<Listed, Name, Routes>>[];
export function resourceOfController<Input>(options: ResourceOfControllerOptions<Input, Action>): readonly Router[] {
  const { name, schema, routeName = name.replaceAll("/", ".") } = options;
  requireFormSchema(name, schema);
  return resourceRoutes({ ...options, optionsOf: (action) => ({ name: `${routeName}.${action}` }) });
}

/** Returns the schema of a JSON resource, adapted if it is of another library. @throws E_RESOURCE_INVALID */
function recordSchemaOf<Input>(name: string, schema: JsonResourceSchema<Input>): Schema.RecordSchema<Input> {
  if (isStandardObjectSchema(schema)) return adaptSchema(name, schema) as unknown as Schema.RecordSchema<Input>;
  requireRecordSchema(name, schema);
  return schema;
}

/** Checks that a schema is a record without a field named as an input of every form. @throws E_RESOURCE_INVALID */
function requireFormSchema<Input>(name: string, schema: Schema.RecordSchema<Input>): void {
  requireRecordSchema(name, schema);
  const reserved = ["csrf", "_method", "_choice"].find((field) => schema.fields.includes(field));
  if (reserved === undefined) return;
  throw errors.E_RESOURCE_INVALID(name, `its schema has a field "${reserved}", the name of an input of every form`);
}

/** Checks that a schema is a record, also in JavaScript and for `any`. @throws E_RESOURCE_INVALID */
function requireRecordSchema<Input>(name: string, schema: Partial<Schema.RecordSchema<Input>> | undefined): void {
  if (schema?.decodeJsonPartial !== undefined) return;
  const vendor = schema?.["~standard"]?.vendor;
  const reason =
    vendor === undefined
      ? "it has no schema"
      : vendor === "limmat"
        ? "its schema is not a record"
        : `its schema is one of "${vendor}"`;
  const advice = "Make it with Schema.record: a resource also decodes forms and single fields";
  throw errors.E_RESOURCE_INVALID(name, `${reason}. ${advice}`);
}
