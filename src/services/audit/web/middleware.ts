import { isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import type { Middleware, Request } from "../../../web/index.ts";
import type { Audit, AuditActor } from "../contract.ts";
import { currentActor } from "../current-actor.ts";

const log = Log.source("limmat.audit");

/** Options of `middleware`. */
export interface AuditMiddlewareOptions {
  /** Returns who acts; `undefined` for a visitor. Called when something is recorded. */
  readonly actor: (request: Request) => AuditActor | undefined | Promise<AuditActor | undefined>;
}

/**
 * Returns a middleware that says who acts in entries of the request. It also records `request.refuse` when a user gets 403, such
 * as the refusal of a policy. Place it after the middleware of users. While a body is streamed, nobody acts: pass `actor`.
 *
 * @example
 * Audit.Web.middleware(audit, {
 *   actor: async (request) => {
 *     const visitor = await User.Web.user(request);
 *     return visitor && { user: visitor.id, credential: "session" };
 *   },
 * });
 */
export function middleware(audit: Pick<Audit, "record">, { actor }: AuditMiddlewareOptions): Middleware {
  const recordRefusal = async (request: Request, code: string | undefined): Promise<void> => {
    // The cut may halve a surrogate pair, which cannot be stored.
    const personal = { path: request.path.slice(0, 1000).toWellFormed() };
    const details = { code, method: request.method };
    try {
      const who = await actor(request);
      if (who?.user !== undefined) await audit.record({ action: "request.refuse", details, personal, actor: who });
    } catch (error) {
      // The request is refused either way.
      log.error("A refusal could not be recorded", { error });
    }
  };
  const named: Middleware = (handler) => (request) =>
    currentActor.run(
      () => actor(request),
      async () => {
        try {
          const response = await handler(request);
          if (response.status === 403) await recordRefusal(request, undefined);
          return response;
        } catch (thrown) {
          if (isError(thrown) && thrown.status === 403) await recordRefusal(request, thrown.code);
          throw thrown;
        }
      },
    );
  Object.defineProperty(named, "name", { value: "audit" });
  return named;
}
