import { errors } from "../errors.ts";
import type { Answer, Handler, Middleware } from "../handler.ts";
import type { Request } from "../request.ts";
import { isForm } from "../request-body.ts";
import { named } from "./factory.ts";

const methods: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

const withOverride: Middleware = named(
  "methodOverride",
  (handler: Handler) => (request: Request) =>
    request.method === "POST" && isForm(request.header("content-type"))
      ? overridden(handler, request)
      : handler(request),
);

/**
 * Lets HTML forms, which know only GET and POST, reach routes for PUT, PATCH and DELETE: by a hidden field `_method` in
 * an urlencoded POST, in whatever letter case.
 *
 * Nothing else overrides the method, neither the query nor a header nor a GET. Anything else in the field, and a field
 * that is given twice, is refused with E_METHOD_OVERRIDE (400).
 */
export function methodOverride(): Middleware {
  return withOverride;
}

async function overridden(handler: Handler, request: Request): Promise<Answer> {
  const given = (await request.form()).filter(([name]) => name === "_method");
  if (given.length === 0) return await handler(request);
  const method = given[0]?.[1].toUpperCase() ?? "";
  if (given.length > 1 || !methods.has(method)) throw errors.E_METHOD_OVERRIDE();
  return await handler(request.with({ method }));
}
