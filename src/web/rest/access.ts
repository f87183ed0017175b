import { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { httpErrors, Key, type Request } from "../../http/message/index.ts";
import { type Parameter, parametersOf } from "../../http/router/index.ts";
import type { Context, ContextOptions } from "../../core/index.ts";
import type { QueryRules } from "../query/query.ts";
import type { Action, Identified, MaybePromise, ServiceOptions } from "./contract.ts";
import { setParents } from "./paths.ts";
import { fieldsWithoutDefault } from "./restricted-input.ts";

/** Policy of the items of a resource, as `Policy.access` returns it. */
export interface ResourcePolicy<T> {
  /** Name of the table. */
  readonly table: string;
  readonly actions: readonly string[];
  /** Actions that fields need. */
  readonly readable: Readonly<Record<string, string | undefined>>;
  readonly writable: Readonly<Record<string, string | undefined>>;
  /** Checks whether the user of a request may do something with an item. @throws errors with the status 403 and 404 */
  require(request: Request, action: string, item: T, options?: ContextOptions): Promise<void>;
  /** Checks whether the user of a request may add an item, by the action `create`. @throws errors with the status 403 */
  requireNew(request: Request): Promise<void>;
  can(
    request: Request,
    items: readonly T[],
    actions: readonly string[],
    options?: ContextOptions,
  ): Promise<(action: never, item: never) => boolean>;
  /** Returns items without the fields that the user may not read. */
  redact<Item extends T>(request: Request, items: readonly Item[], options?: ContextOptions): Promise<readonly Item[]>;
  once<Result>(request: Request, callback: (isAsked: (id?: string) => boolean) => Promise<Result>): Promise<Result>;
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
   * parents belong to each other. The options hold `ctx`.
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
   * Policy of the items. An item that the user may not see is 404, also in a list of the service. `edit` and `update` need the
   * action `change`; `destroy` needs `delete`, or `change` if the policy has no `delete`; `new` and `create` need `create` if the
   * policy has it. Others get 403 with the reason. What the service asks the policy itself is not asked again. Default: none.
   *
   * @example
   * policy: Policy.access(policy, { database, actor: User.Web.user })
   */
  readonly policy?: ResourcePolicy<NoInfer<T>>;
}

/** Definition of an access check. */
export interface AccessDefinition<T> extends AccessOptions<T> {
  /** Name of the resource, for messages. */
  readonly name?: string;
  readonly parent?: ResourceParent<T>;
  /** True if the routes of items are not below the parents. Default false. */
  readonly shallow?: boolean;
}

/** Fields that the user of a request may not write. */
export interface KeptFields {
  readonly names: readonly string[];
  /** Those that the user may not read either. */
  readonly unreadable: readonly string[];
}

const noKeptFields: KeptFields = { names: [], unreadable: [] };

/** Checks of the policy and the parents of a request. */
export interface Access<T> {
  /** Returns the options for a list or a new item. @throws E_NOT_FOUND for a missing parent */
  readonly ofList: (request: Request) => MaybePromise<ServiceOptions>;
  /** Returns the options for a new item, if the policy allows one. @throws as `ofList`, and errors with the status 403 */
  readonly ofNew: (request: Request) => MaybePromise<ServiceOptions>;
  /** Returns the options for an item that is to be found. @throws E_NOT_FOUND */
  readonly ofItem: (request: Request) => MaybePromise<ServiceOptions>;
  /** Finds an item that the user may see. */
  readonly find: (request: Request, call: () => MaybePromise<T | undefined>) => Promise<T | undefined>;
  /** Returns the options with those of the item. @throws E_NOT_FOUND for an item of another parent */
  readonly checkItem: (request: Request, item: T, options: ServiceOptions) => MaybePromise<ServiceOptions>;
  /** Lists items. @throws E_RESOURCE_FOREIGN if the service returned an item of another parent, or one that the user may not see */
  readonly list: <Page extends readonly [items: readonly T[], ...unknown[]]>(
    request: Request,
    options: ServiceOptions,
    call: () => MaybePromise<Page>,
  ) => Promise<Page>;
  /** @throws E_RESOURCE_FOREIGN if the service returned an item of another parent */
  readonly checkResult: (operation: string, items: readonly T[], options: ServiceOptions) => void;
  /** Returns items without the fields that the user may not read. */
  readonly redact: (request: Request, items: readonly T[]) => MaybePromise<readonly T[]>;
  /** Returns the fields of an item, or of a new one, that the user may not write. */
  readonly keptFields: (request: Request, item: T | undefined) => MaybePromise<KeptFields>;
  /** Changes an item for an action, if the policy allows it. @throws errors with the status 403 and 404 */
  readonly change: <Result>(
    request: Request,
    action: Action,
    item: T,
    call: () => MaybePromise<Result>,
  ) => MaybePromise<Result>;
}

/** Creates the access check of a resource. */
export function resourceAccess<T extends Identified>(definition: AccessDefinition<T>): Access<T> {
  const { name = "", ctx, policy, parent, shallow = false } = definition;
  if (ctx === undefined && policy === undefined && parent === undefined) return unrestrictedAccess as Access<T>;
  const parameters = parametersOf(parent?.path ?? "");
  const directParent = parameters.at(-1)?.name ?? "";

  const baseOptions = async (request: Request): Promise<ServiceOptions> => {
    const options = ctx === undefined ? noOptions : { ctx: await ctx(request) };
    if (policy !== undefined) request.set(policyOfRequest, { policy, options });
    return options;
  };

  const ofParent = async (request: Request): Promise<ServiceOptions> => {
    const options = await baseOptions(request);
    if (parent === undefined) return options;
    const params = parentParams(request, parameters, parent.isId);
    if (isMissing(await parent.find(params, options))) throw httpErrors.E_NOT_FOUND();
    return { ...options, params };
  };

  const isOutOfReach = (item: T, { params }: ServiceOptions): boolean => {
    if (parent === undefined || params === undefined) return false;
    const implied: Readonly<Record<string, string | undefined>> = parent.of(item);
    // An item that does not say which direct parent it has cannot be checked, so it is refused.
    return [directParent, ...Object.keys(implied)].some(
      (key) => Object.hasOwn(params, key) && params[key] !== implied[key],
    );
  };

  const checkResult: Access<T>["checkResult"] = (operation, items, options) => {
    if (items.some((item) => isOutOfReach(item, options))) throw errors.E_RESOURCE_FOREIGN(name, operation);
  };

  return {
    ofList: ofParent,
    ofNew: async (request) => {
      const options = await ofParent(request);
      if (policy?.actions.includes("create") === true) await policy.requireNew(request);
      return options;
    },
    ofItem: shallow ? baseOptions : ofParent,
    find: async (request, call) => {
      if (policy === undefined) return call();
      return policy.once(request, async (isAsked) => {
        const item = await call();
        if (item === undefined || item === null || isAsked(item.id)) return item;
        const allows = await answersOf(policy, request, [item], ["see"]);
        return allows("see", item) ? item : undefined;
      });
    },
    checkItem: async (request, item, options) => {
      if (isOutOfReach(item, options)) throw httpErrors.E_NOT_FOUND();
      if (parent === undefined || !shallow) return options;
      const params = parent.of(item) as Readonly<Record<string, string>>;
      if (isMissing(await parent.find(params, options))) throw httpErrors.E_NOT_FOUND();
      setParents(request, params);
      return { ...options, params };
    },
    list: async (request, options, call) => {
      const [page, isAsked] = await (policy === undefined
        ? [await call(), true]
        : policy.once(request, async (isAskedYet) => [await call(), isAskedYet()] as const));
      const [items] = page;
      checkResult("search", items, options);
      if (policy === undefined || isAsked) return page;
      const allows = await answersOf(policy, request, items, ["see"]);
      if (!items.every((item) => allows("see", item))) throw errors.E_RESOURCE_FOREIGN(name, "search");
      return page;
    },
    checkResult,
    redact: (request, items) => policy?.redact(request, items, optionsOf(request)) ?? items,
    keptFields: async (request, item) => {
      if (policy === undefined) return noKeptFields;
      const { readable, writable } = policy;
      const fields = Object.keys(item === undefined ? writable : { ...readable, ...writable });
      if (fields.length === 0) return noKeptFields;
      const actions = [...new Set(fields.flatMap((field) => [readable[field], writable[field]].filter(isDefined)))];
      const allows = item === undefined ? undefined : await answersOf(policy, request, [item], actions);
      const isRefused = (action: string | undefined): boolean =>
        action !== undefined && (item === undefined || allows?.(action, item) !== true);
      const kept = {
        names: fields.filter((field) => isRefused(readable[field]) || isRefused(writable[field])),
        unreadable: item === undefined ? [] : fields.filter((field) => isRefused(readable[field])),
      };
      request.set(keptFields, kept);
      return kept;
    },
    change: (request, action, item, call) => {
      if (policy === undefined) return call();
      return policy.once(request, async () => {
        await policy.require(request, policyAction(policy, action), item, optionsOf(request));
        return call();
      });
    },
  };
}

type Answers<T> = (action: string, item: T) => boolean;

/** Asks a policy, whose type knows its own actions only. */
const answersOf = async <T>(
  policy: ResourcePolicy<T>,
  request: Request,
  ...question: readonly [items: readonly T[], actions: readonly string[]]
): Promise<Answers<T>> => (await policy.can(request, ...question, optionsOf(request))) as Answers<unknown>;

const isDefined = (action: string | undefined): action is string => action !== undefined;

const keptFields: Key<KeptFields> = new Key("fields that the user may not write");

/** Returns those of the fields of a form that the user of a request may write. */
export function writableFields<Input>(
  request: Request,
  { fields }: Schema.RecordSchema<Input>,
  only = fields as readonly (keyof Input & string)[],
): readonly (keyof Input & string)[] {
  const kept = keptFieldsOf(request);
  return only.filter((field) => !kept.includes(field));
}

/** Returns the fields that the user of a request may not write. */
export const keptFieldsOf = (request: Request): readonly string[] => request.get(keptFields)?.names ?? [];

const policyOfRequest: Key<{ readonly policy: ResourcePolicy<unknown>; readonly options: ContextOptions }> = new Key(
  "policy of the resource",
);

/** Returns the context of a request, whose `pool` has the rows. */
const optionsOf = (request: Request): ContextOptions => request.get(policyOfRequest)?.options ?? noOptions;

/**
 * Returns a function that says whether the user of a request may take an action on an item of the page, for links and buttons.
 * Without a policy of the resource, everything is allowed. Sends at most one statement.
 *
 * @example
 * const can = await Web.Rest.can(request, items);
 * items.map((item) => can("destroy", item) && closeButton(item));
 */
export async function can<T>(
  request: Request,
  items: readonly T[],
): Promise<(action: "edit" | "update" | "destroy", item: T) => boolean> {
  const policy: ResourcePolicy<T> | undefined = request.get(policyOfRequest)?.policy;
  if (policy === undefined || items.length === 0) return () => true;
  const actions = (["update", "destroy"] as const).map((action) => policyAction(policy, action));
  const known = actions.filter((action, index) => policy.actions.includes(action) && actions.indexOf(action) === index);
  const allows = await answersOf(policy, request, items, known);
  return (action, item) => {
    const asked = policyAction(policy, action);
    return known.includes(asked) && allows(asked, item);
  };
}

/** Returns the action of a policy that an action of a resource needs. */
export function policyAction({ actions }: Pick<ResourcePolicy<never>, "actions">, action: Action): string {
  if (action === "destroy" && actions.includes("delete")) return "delete";
  return action === "edit" || action === "update" || action === "destroy" ? "change" : "see";
}

/** Returns the guard of a route, for the command `routes`: `policy comments.change`. */
export function guardOf(policy: ResourcePolicy<never> | undefined, action: Action): string | undefined {
  if (policy === undefined) return undefined;
  if (action === "new" || action === "create") {
    return policy.actions.includes("create") ? `policy ${policy.table}.create` : undefined;
  }
  return `policy ${policy.table}.${policyAction(policy, action)}`;
}

/** Checks that a policy fits to the actions and the schema of a resource. @throws E_RESOURCE_INVALID */
export function requireActions(
  { name = "", policy }: AccessDefinition<never>,
  only: readonly Action[],
  schema: Pick<Schema.RecordSchema<unknown>, "fields" | "field">,
): void {
  if (policy === undefined) return;
  for (const action of only) {
    const needed = policyAction(policy, action);
    if (policy.actions.includes(needed)) continue;
    const reason = `the policy of ${policy.table} has no action "${needed}", which the action "${action}" of the resource needs`;
    throw errors.E_RESOURCE_INVALID(name, `${reason}. Add it, or leave out "${action}" with \`only\``);
  }
  const keptInNew = only.includes("create")
    ? schema.fields.filter((field) => typeof policy.writable[field] === "string")
    : [];
  const keptInItems = only.includes("update") ? Object.keys({ ...policy.readable, ...policy.writable }) : [];
  if ("isAdapted" in schema && keptInNew.length + keptInItems.length > 0) {
    const reason = "its policy has `readable` or `writable` fields, so that input needs a schema of Schema.record";
    throw errors.E_RESOURCE_INVALID(name, reason);
  }
  const [lacking] = fieldsWithoutDefault(schema, keptInNew);
  if (lacking === undefined) return;
  const reason = `new items have the default of the field "${lacking}", by \`writable\` of its policy, and it has none`;
  throw errors.E_RESOURCE_INVALID(name, `${reason}. Add a default, or leave out "create" with \`only\``);
}

/** Checks that a list reveals no field that not everybody may read. @throws E_RESOURCE_INVALID */
export function requireReadable({
  name = "",
  policy,
  filterBy = {},
  sortBy = [],
}: AccessDefinition<never> & QueryRules): void {
  const revealed = [...Object.keys(filterBy), ...sortBy].find((column) => typeof policy?.readable[column] === "string");
  if (revealed === undefined) return;
  const reason = `a filter or sort column "${revealed}" reveals values that not everybody may read, by \`readable\` of its policy`;
  throw errors.E_RESOURCE_INVALID(name, reason);
}

const noOptions: ServiceOptions = Object.freeze({});

const unrestrictedAccess: Access<unknown> = {
  ofList: () => noOptions,
  ofNew: () => noOptions,
  ofItem: () => noOptions,
  find: async (_request, call) => call(),
  checkItem: () => noOptions,
  list: async (_request, _options, call) => call(),
  checkResult: () => {},
  redact: (_request, items) => items,
  keptFields: () => noKeptFields,
  change: (_request, _action, _item, call) => call(),
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
