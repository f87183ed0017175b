import { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { httpErrors, type Request } from "../../http/message/index.ts";
import { type Parameter, parametersOf } from "../../http/router/index.ts";
import type { Context } from "../../core/index.ts";
import type { MaybePromise, ServiceOptions } from "./contract.ts";
import { setParents } from "./paths.ts";

/** Owner of the items of a resource. Items of other owners are 404 on every route. */
export interface ResourceOwner<T> {
  /** Returns the owner that a request acts for. `undefined`, for nobody, is 404: list a login guard as well. */
  readonly find: (request: Request) => MaybePromise<string | undefined>;
  /** Returns the owner of an item. */
  readonly of: (item: T) => string | undefined;
}

/** Parent of the items of a resource. A missing parent, and an item of another parent, is 404. */
export interface ResourceParent<
  T,
  Path extends string = string,
  Params extends object = Readonly<Record<string, string>>,
  ItemParams extends object = Partial<Params>,
> {
  /** Path before the name, with a parameter for each parent: `/teams/:team/projects/:project`. */
  readonly path: Path;
  /**
   * Finds the parent, or returns true if it exists. `undefined`, `null` and false are 404. It checks that several
   * parents belong to each other. The options hold `ctx` and `owner`.
   */
  readonly find: (params: Params, options: ServiceOptions) => MaybePromise<unknown>;
  /**
   * Returns the parameters that an item implies: `(issue) => ({ project: issue.project_id })`. For shallow resources all
   * of them, otherwise at least that of the direct parent, without which the item is 404.
   */
  readonly of: (item: T) => ItemParams;
  /** Returns true for a valid parameter; others get 404. Default: a UUID, converted to lower case. */
  readonly isId?: (id: string) => boolean;
}

/** Options that say which items a request may reach. */
export interface AccessOptions<T> {
  /**
   * Returns the context of a request for the service, such as the `pool` of a tenant. Called before each call of the
   * service, which receives it as `ctx` in its last argument.
   *
   * @example
   * ctx: (request) => [["user_id", Web.Session.find("user_id", request) ?? ""]]
   */
  readonly ctx?: (request: Request) => Context | Promise<Context>;
  /**
   * Restricts the resource to the items of the current user. The service receives `owner` in its options. Default: none.
   *
   * @example
   * const owner = {
   *   find: async (request: Web.Request) => (await User.Web.user(request))?.id,
   *   of: (note: Note) => note.user_id,
   * };
   */
  readonly owner?: ResourceOwner<T>;
}

/** Definition of an access check. */
export interface AccessDefinition<T> extends AccessOptions<T> {
  /** Name of the resource, for messages. */
  readonly name?: string;
  readonly parent?: ResourceParent<T>;
  /** True if the routes of items are not below the parents. Default false. */
  readonly shallow?: boolean;
}

/** Checks of the owner and the parents of a request. */
export interface Access<T> {
  /** Returns the options for a list or a new item. @throws E_NOT_FOUND for a missing parent or owner */
  readonly ofList: (request: Request) => MaybePromise<ServiceOptions>;
  /** Returns the options for an item that is to be found. @throws E_NOT_FOUND */
  readonly ofItem: (request: Request) => MaybePromise<ServiceOptions>;
  /** Returns the options with those of the item. @throws E_NOT_FOUND for an item of another owner or parent */
  readonly checkItem: (request: Request, item: T, options: ServiceOptions) => MaybePromise<ServiceOptions>;
  /** @throws E_RESOURCE_FOREIGN if the service returned an item of another owner or parent */
  readonly checkResult: (operation: string, items: readonly T[], options: ServiceOptions) => void;
}

/** Creates the access check of a resource. */
export function resourceAccess<T>(definition: AccessDefinition<T>): Access<T> {
  const { name = "", ctx, owner, parent, shallow = false } = definition;
  if (ctx === undefined && owner === undefined && parent === undefined) return unrestrictedAccess;
  const parameters = parametersOf(parent?.path ?? "");
  const directParent = parameters.at(-1)?.name ?? "";

  const baseOptions = async (request: Request): Promise<ServiceOptions> => {
    const options = ctx === undefined ? {} : { ctx: await ctx(request) };
    if (owner === undefined) return options;
    const ownerId = await owner.find(request);
    if (ownerId === undefined || ownerId === null || ownerId === "") throw httpErrors.E_NOT_FOUND();
    return { ...options, owner: ownerId };
  };

  const ofParent = async (request: Request): Promise<ServiceOptions> => {
    const options = await baseOptions(request);
    if (parent === undefined) return options;
    const params = parentParams(request, parameters, parent.isId);
    if (isMissing(await parent.find(params, options))) throw httpErrors.E_NOT_FOUND();
    return { ...options, params };
  };

  const isOutOfReach = (item: T, options: ServiceOptions): boolean => {
    if (owner !== undefined && owner.of(item) !== options.owner) return true;
    const { params } = options;
    if (parent === undefined || params === undefined) return false;
    const implied: Readonly<Record<string, string | undefined>> = parent.of(item);
    // An item that does not say which direct parent it has cannot be checked, so it is refused.
    return [directParent, ...Object.keys(implied)].some(
      (key) => Object.hasOwn(params, key) && params[key] !== implied[key],
    );
  };

  return {
    ofList: ofParent,
    ofItem: shallow ? baseOptions : ofParent,
    checkItem: async (request, item, options) => {
      if (isOutOfReach(item, options)) throw httpErrors.E_NOT_FOUND();
      if (parent === undefined || !shallow) return options;
      const params = parent.of(item) as Readonly<Record<string, string>>;
      if (isMissing(await parent.find(params, options))) throw httpErrors.E_NOT_FOUND();
      setParents(request, params);
      return { ...options, params };
    },
    checkResult: (operation, items, options) => {
      if (items.some((item) => isOutOfReach(item, options))) throw errors.E_RESOURCE_FOREIGN(name, operation);
    },
  };
}

const noOptions: ServiceOptions = Object.freeze({});

const unrestrictedAccess: Access<unknown> = {
  ofList: () => noOptions,
  ofItem: () => noOptions,
  checkItem: () => noOptions,
  checkResult: () => {},
};

/** Returns true for a parent that was not found. A `find` that compares returns false. */
const isMissing = (parent: unknown): boolean => parent === undefined || parent === null || parent === false;

/** Returns the parameters of the parents. A parameter with a type, as in `:number<int>`, was checked by the router. */
function parentParams(
  request: Request,
  parameters: readonly Parameter[],
  isId: ResourceParent<unknown>["isId"],
): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const { name, type } of parameters) {
    const text = request.params[name] ?? "";
    const isUntyped = type === undefined;
    if (isUntyped && !(isId ?? Schema.isUuid)(text)) throw httpErrors.E_NOT_FOUND();
    params[name] = isUntyped && isId === undefined ? text.toLowerCase() : text;
  }
  return params;
}
