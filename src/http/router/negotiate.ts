import { withVary } from "../caching/content-coding.ts";
import { errors } from "../errors.ts";
import type { Request } from "../message/request.ts";
import { type HandlerResult, mapResponse } from "./handler.ts";

/** Functions that make a response, by the media type of their response. */
export type Formats = Readonly<Record<string, () => HandlerResult | Promise<HandlerResult>>>;

/**
 * Responds in the format that the client prefers by its `Accept` header, of equal ones the first, with `Vary: accept`
 * (RFC 9110 §12.5.1).
 *
 * @throws E_NOT_ACCEPTABLE (406) if the client accepts none of the formats
 * @example
 * const show = (request: Web.Request) =>
 *   Web.negotiate(request, {
 *     "text/html": () => Web.Response.html(page),
 *     "application/json": () => Web.Response.json(product),
 *   });
 */
export function negotiate(request: Request, formats: Formats): HandlerResult | Promise<HandlerResult> {
  const types = Object.keys(formats);
  const respond = formats[request.accepts(types) ?? ""];
  if (respond === undefined) throw errors.E_NOT_ACCEPTABLE(types);
  return mapResponse(respond(), (response) => withVary(response, "accept"));
}
