import { errors } from "../errors.ts";
import {
  del,
  get,
  type Handler,
  type Method,
  parametersOf,
  patch,
  type PathParams,
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
  type ItemRequest,
  type Resource,
  type ResourceController,
} from "./contract.ts";
import { routePosition, type RoutePosition } from "./paths.ts";

/** Prefix of the route names of a resource: its name, with dots for slashes. */
export type RouteName<Name extends string> = Name extends `${infer First}/${infer Rest}`
  ? `${First}.${RouteName<Rest>}`
  : Name;

/** Parameters of the parents of a resource; any without a parent. */
export type ParentParams<Parent extends string> = Parent extends ""
  ? Readonly<Record<string, string>>
  : PathParams<Parent>;

/** Route names of a resource with their paths; `never` for a name that is not a literal type. */
export type NamedRoutes<
  Listed extends Action,
  Name extends string,
  Routes extends string,
  Parent extends string = "",
  Shallow extends boolean = false,
  Singular extends boolean = false,
> = string extends Name | Routes | Parent
  ? never
  : {
      readonly [A in Listed]: readonly [
        `${Routes}.${A}`,
        `${A extends "index" | "create" | "new" ? Parent : Shallow extends true ? "" : Parent}/${Name}${Singular extends true
          ? SingularSuffix<A>
          : PathSuffix<A>}`,
      ];
    }[Listed];

type PathSuffix<A extends Action> = A extends "index" | "create"
  ? ""
  : A extends "new"
    ? "/new"
    : A extends "edit"
      ? "/:id/edit"
      : "/:id";

type SingularSuffix<A extends Action> = A extends "new" | "edit" ? `/${A}` : "";

/** Definition of the routes of a resource. */
export interface RoutesDefinition<Input> {
  readonly name: string;
  readonly only?: readonly Action[] | undefined;
  readonly schema: Resource<Input>["schema"];
  readonly controller: Partial<ResourceController<Input>>;
  readonly parent?: { readonly path: string } | undefined;
  readonly shallow?: boolean | undefined;
  readonly isSingular?: boolean;
  /** Returns the options of a route. */
  readonly optionsOf: (action: Action, method: Method) => RouteOptions;
}

/** Creates the routes of a resource. @throws E_RESOURCE_INVALID */
export function resourceRoutes<Input>(definition: RoutesDefinition<Input>): readonly Router[] {
  const { name, schema, controller, optionsOf, isSingular = false, shallow = false } = definition;
  const parentPath = parentPathOf(definition);
  const listedActions = new Set<Action>(definition.only ?? actions);
  const resource: Resource<Input> = { name, schema };
  const resourcePath = `/${checkName(name)}`;
  const actionRoutes = isSingular ? singularRoutes : pluralRoutes;

  return Object.entries(actionRoutes).flatMap(([action, { methods, suffix }]) => {
    const isItem = suffix.startsWith("/:id");
    const path = (isItem && shallow ? "" : parentPath) + resourcePath + suffix;
    if (!listedActions.has(action as Action)) return reserve(methods, path);
    const memberName = action === "destroy" ? "delete" : action;
    const answerAction = controller[memberName as ControllerMember<Action>];
    if (answerAction === undefined)
      throw errors.E_RESOURCE_INVALID(name, `its controller has no function "${memberName}"`);
    const depth = suffix.split("/").length - 1;
    const position: RoutePosition = { parentPath, resourcePath, isShallow: shallow, isItem, depth };
    const handler: Handler = (request) => {
      request.set(routePosition, position);
      return answerAction(request as ItemRequest, resource);
    };
    return methods.map((method) => routeMakers[method](path, handler, optionsOf(action as Action, method)));
  });
}

const routeMakers = { GET: get, POST: post, PUT: put, PATCH: patch, DELETE: del };

interface ActionRoute {
  readonly methods: readonly (keyof typeof routeMakers)[];
  readonly suffix: string;
}

const pluralRoutes: Readonly<Record<Action, ActionRoute>> = {
  index: { methods: ["GET"], suffix: "" },
  create: { methods: ["POST"], suffix: "" },
  new: { methods: ["GET"], suffix: "/new" },
  show: { methods: ["GET"], suffix: "/:id" },
  edit: { methods: ["GET"], suffix: "/:id/edit" },
  update: { methods: ["PUT", "PATCH"], suffix: "/:id" },
  destroy: { methods: ["DELETE"], suffix: "/:id" },
};

const singularRoutes: Readonly<Partial<Record<Action, ActionRoute>>> = {
  create: { methods: ["POST"], suffix: "" },
  new: { methods: ["GET"], suffix: "/new" },
  show: { methods: ["GET"], suffix: "" },
  edit: { methods: ["GET"], suffix: "/edit" },
  update: { methods: ["PUT", "PATCH"], suffix: "" },
  destroy: { methods: ["DELETE"], suffix: "" },
};

function checkName(name: string): string {
  if (/^[a-z0-9]+(?:[-_./][a-z0-9]+)*$/i.test(name)) return name;
  throw errors.E_RESOURCE_INVALID(
    name,
    "a name is made of letters, digits, hyphens and underscores: todos, admin/users",
  );
}

function parentPathOf<Input>({ name, parent, shallow }: RoutesDefinition<Input>): string {
  if (parent === undefined) {
    if (shallow === true) throw errors.E_RESOURCE_INVALID(name, "it is shallow, but has no parent");
    return "";
  }
  const { path } = parent;
  const names = parametersOf(path).map((parameter) => parameter.name);
  if (!/^(?:\/[^/?*]+)+$/.test(path) || names.length === 0 || names.includes("id")) {
    throw errors.E_RESOURCE_INVALID(
      name,
      `${JSON.stringify(path)} is no path of a parent. Write a parameter for each parent, with another name than "id": ` +
        "/teams/:team/projects/:project",
    );
  }
  return path;
}
