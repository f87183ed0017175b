import { isError } from "../../../core/index.ts";
import { bodyIn, toResponse } from "../../../http/message/index.ts";
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
 * as the refusal of a policy. Place it after the middleware of users.
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
  const recordRefusal = async (request: Request, details: Readonly<Record<string, string>>): Promise<void> => {
    // The cut may halve a surrogate pair, which cannot be stored.
    const personal = { path: request.path.slice(0, 1000).toWellFormed() };
    try {
      const who = await actor(request);
      if (who?.user === undefined) return;
      await audit.record({
        action: "request.refuse",
        details: { ...details, method: request.method },
        personal,
        actor: who,
      });
    } catch (error) {
      // The request is refused either way.
      log.error("A refusal could not be recorded", { error });
    }
  };
  const named: Middleware = (handler) => (request) => {
    const findActor = (): ReturnType<typeof actor> => actor(request);
    const inContext = <Result>(run: () => Result): Result => currentActor.run(findActor, run);
    return inContext(async () => {
      try {
        const response = toResponse(await handler(request));
        if (response.status === 403) await recordRefusal(request, {});
        return response.withBody(bodyIn(response.body, inContext));
      } catch (thrown) {
        if (isError(thrown) && thrown.status === 403) await recordRefusal(request, { code: thrown.code });
        throw thrown;
      }
    });
  };
  Object.defineProperty(named, "name", { value: "audit" });
  return named;
}
