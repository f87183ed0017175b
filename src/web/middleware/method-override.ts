import { errors } from "../errors.ts";
import type { Handler, Middleware } from "../../http/router/index.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const overrideMethods: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

const methodOverrideMiddleware: Middleware = withName("methodOverride", (handler: Handler) => (request: Request) => {
  if (request.method !== "POST") return handler(request);
  const type = request.header("content-type");
  const override = (fields: FormEntries): ReturnType<Handler> => overrideMethod(handler, request, fields);
  if (isForm(type)) return request.withForm(override);
  return isMultipart(type) ? request.fieldsBeforeFiles().then(override) : handler(request);
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

function overrideMethod(handler: Handler, request: Request, fields: FormEntries): ReturnType<Handler> {
  const overrides = fields.filter(([name]) => name === "_method");
  if (overrides.length === 0) return handler(request);
  const method = overrides[0]?.[1].toUpperCase() ?? "";
  if (overrides.length > 1 || !overrideMethods.has(method)) throw errors.E_METHOD_OVERRIDE();
  return handler(request.with({ method }));
}
