import { preventNotModified } from "../../http/caching/index.ts";
import type { Request } from "../../http/message/index.ts";
import { createSecret, findSecret, maskToken } from "./token.ts";

/**
 * Returns a CSRF token for a form, to be sent in a hidden input named `csrf` or in the header `X-CSRF-Token`.
 *
 * Each token is different and valid until the session ends. The first call starts a session, so the
 * response sets a cookie.
 *
 * @throws E_SESSION_MISSING if the route runs without the session middleware
 * @example
 * html`<form method="post"><input type="hidden" name="csrf" value="${Web.Csrf.find(request)}" /></form>`;
 */
function findCsrfToken(request: Request): string {
  preventNotModified(request);
  return maskToken(findSecret(request) ?? createSecret(request));
}

export { findCsrfToken as find };
