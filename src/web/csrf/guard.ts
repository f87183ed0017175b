import { errors } from "../errors.ts";
import { Key, type Request } from "../../http/message/index.ts";

const guarded: Key<true> = new Key("csrf guard");

/** Takes note that the CSRF middleware has let a request pass that may change something. */
export function markGuarded(request: Request): void {
  request.set(guarded, true);
}

/** Whether the CSRF middleware has let the request pass. */
export function isGuarded(request: Request): boolean {
  return request.get(guarded) === true;
}

/** For handlers that take forms: @throws E_CSRF_MISSING when no CSRF middleware runs for the request. */
export function demandGuard(request: Request): void {
  if (!isGuarded(request)) throw errors.E_CSRF_MISSING();
}
