import type { LimmatError } from "../../../core/index.ts";
import { addErrorHeaders, type Middleware, OpenApi, Request } from "../../../web/index.ts";
import type { UserService } from "../../user/contract.ts";
import type { TokenContent, TokenService } from "../contract.ts";
import { userServiceOf } from "../engine/owner.ts";
import { errors } from "../errors.ts";

/** Options of `bearer`. */
export interface BearerOptions {
  readonly token: TokenService;
  /** Purpose that the tokens were created for, such as `api`. */
  readonly purpose: string;
  /**
   * User service whose users own the tokens: tokens without an owner, and of a deactivated or deleted one, are refused.
   * Default: the user service of the application, and tokens without an owner are accepted. `false` accepts every owner,
   * such as a partner, also after the deletion of the account.
   */
  readonly user?: Pick<UserService, "findOpt"> | false | undefined;
  /** Abilities that a token must have, all of them. Default: none. */
  readonly abilities?: readonly string[];
}

const contentKey = Request.key<TokenContent>("content of the bearer token");

/**
 * Requires a valid token in `Authorization: Bearer <token>` (RFC 6750). A token in the query is ignored, because queries
 * are logged. Handlers read the content of the token with `current`.
 *
 * Refuses with `WWW-Authenticate`, and a problem document unless the client prefers HTML: E_TOKEN_REQUIRED (401) without a valid
 * token of an active user, whatever the reason; E_TOKEN_ABILITY (403) without one of the abilities.
 *
 * @example
 * const api = Web.choose(routes, {
 *   scope: "/api",
 *   middlewares: [
 *     ...Web.Middleware.api(),
 *     Token.Web.bearer({ token, purpose: "api" }),
 *     Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
 *   ],
 * });
 */
export function bearer({ token, purpose, abilities = [], user }: BearerOptions): Middleware {
  const findContent = async (text: string): Promise<TokenContent | undefined> => {
    const content = await token.read(text, { purpose });
    const users = user ?? (content?.owner === undefined ? false : userServiceOf(token));
    if (content === undefined || users === undefined || users === false) return content;
    const owner = await users.findOpt(content.owner ?? "");
    return owner?.status === "active" ? content : undefined;
  };

  // The command `routes` shows the name of the function.
  const middleware: Middleware = function bearerToken(handler) {
    return async (request) => {
      const header = request.header("authorization") ?? "";
      const tokenText = /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
      const content = tokenText === undefined ? undefined : await findContent(tokenText);
      if (content === undefined) {
        const challenge = /^bearer\b/i.test(header) ? 'Bearer error="invalid_token"' : "Bearer";
        throw refusal(request, errors.E_TOKEN_REQUIRED(), challenge);
      }
      const missingAbility = abilities.find((ability) => !content.abilities.includes(ability));
      if (missingAbility !== undefined) throw abilityRefusal(request, missingAbility);
      request.set(contentKey, content);
      return await handler(request);
    };
  };
  return OpenApi.describe(middleware, {
    security: { ...OpenApi.tokenSecurity(), abilities },
    responses: {
      401: OpenApi.problem("There is no valid token"),
      ...(abilities.length === 0 ? {} : forbiddenResponse),
    },
  });
}

const forbiddenResponse = { 403: OpenApi.problem("The token does not allow this") };

/**
 * Returns the content of the request's token, such as its owner, abilities and data.
 *
 * @throws E_TOKEN_MISSING if the route is not behind `bearer`
 */
export function current(request: Request<object>): TokenContent {
  const content = request.get(contentKey);
  if (content === undefined) throw errors.E_TOKEN_MISSING();
  return content;
}

/**
 * Requires that the token has an ability, for some of the routes behind `bearer`. Refuses with E_TOKEN_ABILITY (403).
 *
 * Requests throw E_TOKEN_MISSING if the route is not behind `bearer`.
 */
export function requireAbility(ability: string): Middleware {
  const middleware: Middleware = function requiredAbility(handler) {
    return (request) => {
      if (!current(request).abilities.includes(ability)) throw abilityRefusal(request, ability);
      return handler(request);
    };
  };
  const security = { ...OpenApi.tokenSecurity(), abilities: [ability] };
  return OpenApi.describe(middleware, { security, responses: forbiddenResponse });
}

// RFC 6750 §3.1. Abilities need no escaping: `newTokenContent` refuses quotes and backslashes.
function abilityRefusal(request: Request, ability: string): LimmatError {
  const challenge = `Bearer error="insufficient_scope", scope="${ability}"`;
  return refusal(request, errors.E_TOKEN_ABILITY(ability), challenge);
}

/** Adds the challenge to the error response, and makes JSON its default format. */
function refusal(request: Request, error: LimmatError, challenge: string): LimmatError {
  request.preferJson();
  addErrorHeaders(request, { "www-authenticate": challenge });
  return error;
}
