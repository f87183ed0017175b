import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

const methods: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

const withOverride: Middleware = named("methodOverride", (handler: Handler) => (request: Request) => {
  if (request.method !== "POST") return handler(request);
  const type = request.header("content-type");
  if (isForm(type)) return overridden(handler, request, request.form());
  return isMultipart(type) ? overridden(handler, request, request.leadingFields()) : handler(request);
});

/**
 * Lets HTML forms, which know only GET and POST, reach routes for PUT, PATCH and DELETE: by a hidden field `_method` in
 * a POST of a form, in whatever letter case. In a form with files (`multipart/form-data`) it stands before the first file.
 *
 * Nothing else overrides the method, neither the query nor a header nor a GET. Anything else in the field, and a field
 * that is given twice, is refused with E_METHOD_OVERRIDE (400).
 */
export function methodOverride(): Middleware {
  return withOverride;
}

async function overridden(handler: Handler, request: Request, fields: Promise<FormEntries>): Promise<HandlerResult> {
  const given = (await fields).filter(([name]) => name === "_method");
  if (given.length === 0) return await handler(request);
  const method = given[0]?.[1].toUpperCase() ?? "";
  if (given.length > 1 || !methods.has(method)) throw errors.E_METHOD_OVERRIDE();
  return await handler(request.with({ method }));
}
