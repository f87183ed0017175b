import { markUnique } from "../../http/caching/index.ts";
import type { Request } from "../../http/message/index.ts";
import { SessionState } from "../session/session-state.ts";
import { isSecret, maskedToken, newSecret, secretKey } from "./token.ts";

/**
 * A token for one form, to be sent in a hidden input named `csrf` or in the header `X-CSRF-Token`.
 *
 * Each call gives another one; all are valid until the session ends. The first call gives the visitor a session, and so
 * the response a cookie.
 *
 * @throws E_SESSION_MISSING when the route runs without the session middleware
 * @example
 * html`<form method="post"><input type="hidden" name="csrf" value="${Web.Csrf.find(request)}" /></form>`;
 */
export function find(request: Request): string {
  const session = SessionState.of(request);
  markUnique(request);
  const kept = session.content.reserved.get(secretKey);
  if (isSecret(kept)) return maskedToken(kept);
  const secret = newSecret();
  session.reserve(secretKey, secret);
  return maskedToken(secret);
}
