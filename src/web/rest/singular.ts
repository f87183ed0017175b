import type { Schema } from "../../schema/index.ts";
import { describeOnDemand } from "../openapi/description.ts";
import { lazy } from "../../core/index.ts";
import { choose, type DescribedSchema, type Method, type RouteOptions, type Router } from "../../http/router/index.ts";
import type {
  Action,
  Identified,
  MaybePromise,
  ResourceService,
  ResourceView,
  ServiceMember,
  ViewMember,
} from "./contract.ts";
import { controllerOfService } from "./controller.ts";
import { jsonControllerOfService, type JsonOptions } from "./json-controller.ts";
import { type ListArguments, type ParentOptions, recordSchemaOf, requireFormSchema, withProblems } from "./resource.ts";
import { type NamedRoutes, type ParentParams, resourceRoutes, type RouteName } from "./routes.ts";
import type { JsonResourceSchema } from "./standard-schema.ts";
import { itemVersions } from "./version.ts";
import { describeJson } from "./description.ts";

/** Action on a singular resource. */
export type SingularAction = Exclude<Action, "index">;

/** Action on a singular resource without pages. */
export type SingularJsonAction = Exclude<SingularAction, "new" | "edit">;

/** Business logic of a singular resource: as of other resources, without a list, and without an identifier to find the item. */
export interface SingularService<T, Input, Arguments extends readonly unknown[] = ListArguments<"">> extends Omit<
  ResourceService<T, Input, Arguments>,
  "find" | "search"
> {
  /** Finds the item of the request, by `owner`, `ctx` or `params` of the options. */
  readonly find: (...options: Arguments) => MaybePromise<T | undefined>;
}

type Members<T, Input, Parent extends string, A extends Action> = Partial<
  SingularService<T, Input, ListArguments<NoInfer<Parent>>>
> &
  Pick<
    SingularService<NoInfer<T>, NoInfer<Input>, ListArguments<NoInfer<Parent>>>,
    Exclude<ServiceMember<NoInfer<A>>, "search">
  >;

/** Options of `singularOfService`. */
export interface SingularOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends SingularAction,
  Name extends string = string,
  Routes extends string = RouteName<Name>,
  Parent extends string = "",
>
  extends JsonOptions<T>, Pick<ParentOptions<T, Parent, false>, "parent"> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Path of the item, singular by convention: `profile`. */
  readonly name: Name;
  /** Prefix of the route names: `profile.show`. Default: `name` with dots for slashes. */
  readonly routeName?: Routes;
  readonly schema: Schema.RecordSchema<Input>;
  /** Pages of the listed actions, as of other resources. */
  readonly view: Partial<Omit<ResourceView<T, ParentParams<NoInfer<Parent>>>, "index">> &
    Pick<ResourceView<NoInfer<T>, ParentParams<NoInfer<Parent>>>, Exclude<ViewMember<NoInfer<Listed>>, "index">>;
  /** Functions that the listed actions need. */
  readonly service: Members<T, Input, Parent, Listed>;
}

/**
 * Creates the routes of a resource with one item, such as the profile of the current user: `GET /profile`, `GET /profile/new`,
 * `GET /profile/edit`, and POST, PUT, PATCH and DELETE of `/profile`. A missing item is 404. Deletion redirects to the start page.
 *
 * @throws E_RESOURCE_INVALID, as `resourceOfService`
 * @example
 * Web.Rest.singularOfService({
 *   name: "profile",
 *   only: ["show", "edit", "update"],
 *   schema,
 *   view: ProfileView,
 *   service: { find: (options) => Profile.findOpt(options?.owner ?? ""), update: Profile.update },
 *   owner: { find: async (request) => (await User.Web.user(request))?.id, of: (profile) => profile.user_id },
 * });
 */
export function singularOfService<
  T extends Identified,
  Input,
  const Listed extends SingularAction = SingularAction,
  const Name extends string = string,
  const Routes extends string = RouteName<Name>,
  const Parent extends string = "",
>(
  options: SingularOfServiceOptions<T, Input, Listed, Name, Routes, Parent>,
): readonly Router<NamedRoutes<Listed, Name, Routes, Parent, false, true>>[] {
  const { name, only, schema, parent, routeName = name.replaceAll("/", ".") } = options;
  requireFormSchema(name, schema);
  itemVersions(name, schema.fields, options.versions);
  const definition = { ...options, service: pluralService(options.service), isSingular: true };
  const controller = controllerOfService<T, Input>(
    definition as unknown as Parameters<typeof controllerOfService<T, Input>>[0],
  );
  const optionsOf = (action: Action): RouteOptions => ({ name: `${routeName}.${action}` });
  const routers = resourceRoutes({ name, only, schema, controller, parent, isSingular: true, optionsOf });
  // The route names and paths of the type match those built by `resourceRoutes`.
  return routers as readonly Router<NamedRoutes<Listed, Name, Routes, Parent, false, true>>[];
}

/** Options of `singularJsonOfService`. */
export interface SingularJsonOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends SingularJsonAction,
  Parent extends string = "",
>
  extends JsonOptions<T>, Pick<ParentOptions<T, Parent, false>, "parent"> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Path of the item, singular by convention: `profile`. */
  readonly name: string;
  /** Schema of the input, as of `jsonOfService`. */
  readonly schema: JsonResourceSchema<Input>;
  /** Functions that the listed actions need. */
  readonly service: Members<T, Input, Parent, Listed>;
  /** Schema of the item in JSON, for OpenAPI documents. Default: as of `jsonOfService`. */
  readonly jsonSchema?: DescribedSchema;
}

/**
 * Creates the routes of a JSON API for a resource with one item: create, show, update (PUT and PATCH) and delete.
 *
 * @throws E_RESOURCE_INVALID, as `jsonOfService`
 */
export function singularJsonOfService<
  T extends Identified,
  Input,
  const Listed extends SingularJsonAction = SingularJsonAction,
  const Parent extends string = "",
>(options: SingularJsonOfServiceOptions<T, Input, Listed, Parent>): readonly Router[] {
  const { name, parent, only = singularJsonActions } = options;
  const schema = recordSchemaOf(name, options.schema);
  itemVersions(name, schema.fields, options.versions);
  const definition = {
    ...options,
    service: pluralService(options.service),
    isSingular: true,
  } as unknown as Parameters<typeof jsonControllerOfService<T, Input>>[0];
  const controller = jsonControllerOfService<T, Input>(definition);
  const describe = lazy(() => describeJson({ ...definition, name, schema }));
  const optionsOf = (action: Action, method: Method): RouteOptions => ({
    describe: describeOnDemand(() => describe()(action, method)),
  });
  const routers = resourceRoutes({ name, only, schema, controller, parent, isSingular: true, optionsOf });
  return routers.map((router) => choose([router], { middlewares: [withProblems] }));
}

const singularJsonActions: readonly SingularJsonAction[] = ["create", "show", "update", "destroy"];

type AnyFunction = (...values: readonly unknown[]) => unknown;

/** Returns a service whose `find` takes an identifier, which it ignores. */
function pluralService(service: object): object {
  const { find, insert, update, delete: destroy } = service as Readonly<Record<string, AnyFunction | undefined>>;
  return {
    find: (_id: string, ...options: readonly unknown[]) => find?.apply(service, [...options]),
    insert: insert?.bind(service),
    update: update?.bind(service),
    delete: destroy?.bind(service),
  };
}
