import type { Router } from "../../http/router/index.ts";
import type {
  Action,
  Identified,
  MaybePromise,
  ResourceService,
  ResourceView,
  ServiceMember,
  ViewMember,
} from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import {
  type JsonResource,
  type JsonResourceDefinition,
  jsonRoutes,
  type ListArguments,
  type Members,
  type PageResource,
  pageRoutes,
  type ParentOptions,
  type ResourceOfControllerOptions,
} from "./resource.ts";
import type { NamedRoutes, ParentParams, RouteName } from "./routes.ts";

/** Action on a singular resource. */
export type SingularAction = Exclude<Action, "index">;

/** Action on a singular resource without pages. */
export type SingularJsonAction = Exclude<SingularAction, "new" | "edit">;

/** Business logic of a singular resource: as of other resources, without a list, and without an identifier to find the item. */
export interface SingularService<T, Input, Arguments extends readonly unknown[] = ListArguments<"">> extends Omit<
  ResourceService<T, Input, Arguments>,
  "find" | "search"
> {
  /** Finds the item of the request, by `ctx` or `params` of the options. */
  readonly find: (...options: Arguments) => MaybePromise<T | undefined>;
}

type ServiceOf<T, Input, Parent extends string, Listed extends Action> = Members<
  SingularService<T, Input, ListArguments<NoInfer<Parent>>>,
  Exclude<ServiceMember<NoInfer<Listed>>, "search">
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
  extends
    JsonOptions<T>,
    Pick<ParentOptions<T, Parent, false>, "parent">,
    Omit<ResourceOfControllerOptions<Input, Listed, Name, Routes>, "controller"> {
  /** Pages of the listed actions, as of other resources. */
  readonly view: Members<
    Omit<ResourceView<T, ParentParams<NoInfer<Parent>>>, "index">,
    Exclude<ViewMember<NoInfer<Listed>>, "index">
  >;
  /** Functions that the listed actions need. */
  readonly service: ServiceOf<T, Input, Parent, Listed>;
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
 *   service: { find: (options) => Profile.findOpt(Context.get(options?.ctx, "user_id")), update: Profile.update },
 *   ctx: async (request) => [["user_id", (await User.Web.userOrThrow(request)).id]],
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
): readonly Router<NamedRoutes<Listed, Name, Routes, Parent, false, true>>[];
export function singularOfService<T extends Identified, Input>(
  options: PageResource<T, Input, SingularService<T, Input>>,
): readonly Router[] {
  return pageRoutes({ ...options, service: pluralService(options.service), isSingular: true });
}

/** Options of `singularJsonOfService`. */
export interface SingularJsonOfServiceOptions<
  T extends Identified,
  Input,
  Listed extends SingularJsonAction,
  Parent extends string = "",
>
  extends JsonOptions<T>, Pick<ParentOptions<T, Parent, false>, "parent">, JsonResource<Input> {
  /** Actions with routes; the others get 404. Default all. */
  readonly only?: readonly Listed[];
  /** Functions that the listed actions need. */
  readonly service: ServiceOf<T, Input, Parent, Listed>;
}

/** Creates the routes of a JSON API with one item: create, show, update and delete. @throws E_RESOURCE_INVALID */
export function singularJsonOfService<
  T extends Identified,
  Input,
  const Listed extends SingularJsonAction = SingularJsonAction,
  const Parent extends string = "",
>(options: SingularJsonOfServiceOptions<T, Input, Listed, Parent>): readonly Router[];
export function singularJsonOfService<T extends Identified, Input>(
  options: Omit<JsonResourceDefinition<T, Input>, "service"> & { readonly service: Partial<SingularService<T, Input>> },
): readonly Router[] {
  return jsonRoutes({ ...options, service: pluralService(options.service), isSingular: true }, singularJsonActions);
}

const singularJsonActions: readonly SingularJsonAction[] = ["create", "show", "update", "destroy"];

/** Returns a service whose `find` takes an identifier, which it ignores. No route of a singular resource searches. */
function pluralService<T, Input>(definition: Partial<SingularService<T, Input>>): ResourceService<T, Input> {
  const service = definition as SingularService<T, Input>;
  return {
    find: (_id, ...options) => service.find(...options),
    search: () => [[], 0],
    insert: (...values) => service.insert(...values),
    update: (...values) => service.update(...values),
    delete: (...values) => service.delete(...values),
  };
}
