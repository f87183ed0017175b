import type { LimmatError } from "../../core/index.ts";
import { type Answer, type Middleware, OpenApi, problem, Request } from "../../web/index.ts";
import type { TokenContent, TokenService } from "./contract.ts";
import { errors } from "./errors.ts";

/** Which tokens open the routes behind `bearer`. */
export interface BearerOptions {
  readonly token: TokenService;
  /** What the token must have been made for: `api`. */
  readonly purpose: string;
  /** What it must allow, all of it. Default: nothing in particular. */
  readonly abilities?: readonly string[];
}

const contentKey = Request.key<TokenContent>("content of the bearer token");

/**
 * Lets in who sends a valid token: `Authorization: Bearer <token>` (RFC 6750), and nowhere else, above all not in the
 * query, which ends in logs. Handlers find what it stands for with `current`.
 *
 * Refuses with a problem document and `WWW-Authenticate`: E_TOKEN_REQUIRED (401) without a valid token, whatever is
 * wrong with it; E_TOKEN_ABILITY (403) for one that does not allow enough.
 *
 * @example
 * const api = Web.choose(routes, {
 *   scope: "/api",
 *   middlewares: [
 *     ...Web.Middleware.api(),
 *     Token.Web.bearer({ token, purpose: "api" }),
 *     Web.Middleware.requestLimit({ limit: 100, period: Time.minutes(1), key: Web.byToken }),
 *   ],
 * });
 */
export function bearer({ token, purpose, abilities = [] }: BearerOptions): Middleware {
  // Its name is what the command `routes` shows.
  const middleware: Middleware = function bearerToken(handler) {
    return async (request) => {
      const header = request.header("authorization") ?? "";
      const given = /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
      const content = given === undefined ? undefined : await token.read(given, { purpose });
      if (content === undefined) {
        const challenge = /^bearer\b/i.test(header) ? 'Bearer error="invalid_token"' : "Bearer";
        return refuse(request, errors.E_TOKEN_REQUIRED(), challenge);
      }
      const missing = abilities.find((ability) => !content.abilities.includes(ability));
      if (missing !== undefined) return refuseAbility(request, missing);
      request.set(contentKey, content);
      return await handler(request);
    };
  };
  return OpenApi.describe(middleware, {
    security: { ...OpenApi.tokenSecurity(), abilities },
    answers: { 401: OpenApi.problem("There is no valid token"), ...(abilities.length === 0 ? {} : notAllowed) },
  });
}

const notAllowed = { 403: OpenApi.problem("The token does not allow this") };

/**
 * What the token of a request stands for: its owner, abilities and data.
 *
 * @throws E_TOKEN_MISSING when the route runs without `bearer`.
 */
export function current(request: Request<object>): TokenContent {
  const content = request.get(contentKey);
  if (content === undefined) throw errors.E_TOKEN_MISSING();
  return content;
}

/**
 * Lets in whose token has an ability, for some of the routes behind `bearer`. Refuses with E_TOKEN_ABILITY (403).
 *
 * Throws E_TOKEN_MISSING on routes without `bearer`.
 */
export function requireAbility(ability: string): Middleware {
  const middleware: Middleware = function requiredAbility(handler) {
    return (request) =>
      current(request).abilities.includes(ability) ? handler(request) : refuseAbility(request, ability);
  };
  const security = { ...OpenApi.tokenSecurity(), abilities: [ability] };
  return OpenApi.describe(middleware, { security, answers: notAllowed });
}

// RFC 6750 §3.1. Abilities hold no quotes and no backslashes: see `newContent`.
function refuseAbility(request: Request, ability: string): Answer {
  return refuse(request, errors.E_TOKEN_ABILITY(ability), `Bearer error="insufficient_scope", scope="${ability}"`);
}

function refuse(request: Request, { status = 401, code, message }: LimmatError, challenge: string): Answer {
  return problem({ status, code, detail: message, headers: { "www-authenticate": challenge } }, request.id);
}
