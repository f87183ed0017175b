import { applicationOf } from "../application/web-application.ts";
import { errors } from "../errors.ts";
import type { Handler, Middleware, Route } from "../../http/router/index.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { middlewareGetter } from "./factory.ts";

const overrideMethods: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

/**
 * Lets HTML forms, which support only GET and POST, reach routes for PUT, PATCH and DELETE. The hidden field `_method` of
 * a POST form holds the method, in any letter case. In a multipart form it must precede the first file.
 *
 * Neither the query nor a header nor a GET request overrides the method. Another value of the field, or a repeated field,
 * is refused with E_METHOD_OVERRIDE (400). A form is only read if its path has a route for PUT, PATCH or DELETE, and not if the
 * CSRF check of these routes refuses it whatever its fields are.
 *
 * It runs before the middlewares of the application. List it among them to run it behind one that changes the path.
 */
export const methodOverride: () => Middleware = middlewareGetter("methodOverride", (handler) => (request) => {
  if (request.method !== "POST") return handler(request);
  const type = request.header("content-type");
  const isUpload = isMultipart(type);
  if (!isUpload && !isForm(type)) return handler(request);
  const method = methodOfUnreadForm(request);
  if (method !== undefined) return handler(method === "POST" ? request : request.with({ method }));
  const override = (fields: FormEntries): ReturnType<Handler> => overrideMethod(handler, request, fields);
  return isUpload ? request.fieldsBeforeFiles().then(override) : request.withForm(override);
});

/** Returns the method of a form that is not read, because its fields could not change the route that answers it. */
function methodOfUnreadForm(request: Request): string | undefined {
  const application = applicationOf(request);
  if (application === undefined) return undefined;
  const { middlewares, routesOf } = application;
  const isRefused = (route: Route): boolean =>
    [...middlewares, ...route.middlewares].some(({ refusesForm }) => refusesForm?.(request) === true);
  const methods = new Set<string>();
  let override: string | undefined;
  for (const route of routesOf(request)) {
    for (const method of route.methods) methods.add(method);
    const overridden = route.methods.find((method) => overrideMethods.has(method));
    if (overridden !== undefined && !isRefused(route)) return undefined;
    override ??= overridden;
  }
  // Without a route for POST, the CSRF check of another one answers.
  return methods.has("POST") ? "POST" : (override ?? "POST");
}

function overrideMethod(handler: Handler, request: Request, fields: FormEntries): ReturnType<Handler> {
  const overrides = fields.filter(([name]) => name === "_method");
  if (overrides.length === 0) return handler(request);
  const method = overrides[0]?.[1].toUpperCase() ?? "";
  if (overrides.length > 1 || !overrideMethods.has(method)) throw errors.E_METHOD_OVERRIDE();
  return handler(request.with({ method }));
}
