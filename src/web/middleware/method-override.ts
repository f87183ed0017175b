import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const overrideMethods: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

const methodOverrideMiddleware: Middleware = withName("methodOverride", (handler: Handler) => (request: Request) => {
  if (request.method !== "POST") return handler(request);
  const type = request.header("content-type");
  if (isForm(type)) return overrideMethod(handler, request, request.form());
  return isMultipart(type) ? overrideMethod(handler, request, request.fieldsBeforeFiles()) : handler(request);
});

/**
 * Lets HTML forms, which support only GET and POST, reach routes for PUT, PATCH and DELETE. The hidden field `_method` of
 * a POST form holds the method, in any letter case. In a multipart form it must precede the first file.
 *
 * Neither the query nor a header nor a GET request overrides the method. Another value of the field, or a repeated field,
 * is refused with E_METHOD_OVERRIDE (400).
 */
export function methodOverride(): Middleware {
  return methodOverrideMiddleware;
}

async function overrideMethod(
  handler: Handler,
  request: Request,
  fields: Promise<FormEntries>,
): Promise<HandlerResult> {
  const overrides = (await fields).filter(([name]) => name === "_method");
  if (overrides.length === 0) return await handler(request);
  const method = overrides[0]?.[1].toUpperCase() ?? "";
  if (overrides.length > 1 || !overrideMethods.has(method)) throw errors.E_METHOD_OVERRIDE();
  return await handler(request.with({ method }));
}
