import type { Service } from "../../core/index.ts";
import type { Middleware, Method, Router } from "../../http/router/index.ts";
import { descriptionsOf } from "../openapi/description.ts";

/** Returns true for a middleware that may guard routes: by its name, or by the authentication that it describes. */
export function mayGuard(middleware: Middleware, name: string): boolean {
  const { security } = descriptionsOf([middleware])[0] ?? {};
  if (/^require(?![a-z])/.test(name)) return true;
  return security === undefined ? /^(anonymous\b|$)/.test(name) : security.optional !== true;
}

const changingMethods: ReadonlySet<Method> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Number of routes that a finding names. */
const maxListed = 8;

/** Names the routes that change something and have neither a guard nor a policy. */
export function guardFindings({ routes }: Router): Service.Finding[] {
  const open = routes
    .filter(({ isPlaceholder, guard, middlewares }) => {
      if (isPlaceholder || guard !== undefined) return false;
      return !middlewares.some((middleware) => mayGuard(middleware, middleware.name));
    })
    .flatMap(({ methods, path }) =>
      methods.filter((method) => changingMethods.has(method)).map((method) => `${method} ${path}`),
    );
  if (open.length === 0) return [];
  const listed = open.slice(0, maxListed).join(", ") + (open.length > maxListed ? ", …" : "");
  const message = `Everybody may use ${open.length === 1 ? "1 route" : `${open.length} routes`} that change something: ${listed}`;
  const advice = 'Add a guard or a policy, or mark a route that is for everybody by the option { guard: "open" }.';
  return [{ level: "ok", message, advice }];
}
