import { errors } from "../errors.ts";
import { Key, type Request } from "../../http/message/index.ts";

const protectedKey: Key<true> = new Key("csrf protection");

/** Records that the CSRF middleware has accepted an unsafe request. */
export function markCsrfProtected(request: Request): void {
  request.set(protectedKey, true);
}

/** Returns true if the CSRF middleware has accepted the request. */
export function isCsrfProtected(request: Request): boolean {
  return request.get(protectedKey) === true;
}

/** Checks that the CSRF middleware runs for a request, before a handler processes a form. @throws E_CSRF_MISSING */
export function requireCsrfProtection(request: Request): void {
  if (!isCsrfProtected(request)) throw errors.E_CSRF_MISSING();
}
