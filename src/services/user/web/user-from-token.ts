import { addErrorHeaders, type Handler, type Middleware, OpenApi, type Request } from "../../../web/index.ts";
import type { User, UserService } from "../contract.ts";
import { errors } from "../errors.ts";
import { setUser } from "./current-user.ts";

/** Returns the user id of a token, or `undefined` if the token is invalid. */
export type ReadToken = (token: string, request: Request) => Promise<string | undefined> | string | undefined;

/** Options of `userFromToken`. */
export interface UserFromTokenOptions {
  /** Authentication scheme before the token, case-insensitive. Default `Bearer`. */
  readonly scheme?: string;
  /** True if requests without `Authorization` pass, without a user. An invalid token is refused. Default false. */
  readonly optional?: boolean;
}

const maxHeaderLength = 4096;

/**
 * Authenticates requests by a token in `Authorization: Bearer …` (RFC 6750) and sets the current user. It refuses a
 * missing or invalid token, and an inactive user, with E_USER_TOKEN (401) and `WWW-Authenticate`.
 *
 * @example
 * const readOwner = async (token) => (await tokens.read(token, { purpose: "api" }))?.owner;
 * const api = Web.choose(routes, {
 *   scope: "/api",
 *   middlewares: [...Web.Middleware.api(), User.Web.userFromToken(user, readOwner)],
 * });
 */
export function userFromToken(
  service: UserService,
  readToken: ReadToken,
  { scheme = "Bearer", optional = false }: UserFromTokenOptions = {},
): Middleware {
  const findActiveUser = async (token: string, request: Request): Promise<User | undefined> => {
    const id = await readToken(token, request);
    const user = id === undefined ? undefined : await service.findOpt(id);
    return user?.status === "active" ? user : undefined;
  };

  const middleware: Middleware = (handler: Handler) => async (request) => {
    const header = request.header("authorization");
    if (header === undefined && optional) {
      setUser(request, undefined, scheme);
      return handler(request);
    }
    const token = parseToken(header ?? "", scheme);
    if (token === undefined) return rejectToken(request, scheme);
    const user = await findActiveUser(token, request);
    if (user === undefined) return rejectToken(request, `${scheme} error="invalid_token"`);
    setUser(request, user, scheme);
    return handler(request);
  };
  return OpenApi.describe(Object.defineProperty(middleware, "name", { value: "userFromToken" }), {
    security: { ...OpenApi.tokenSecurity(scheme), optional },
    responses: { 401: OpenApi.failure("There is no valid token of an active user") },
  });
}

/** Parses the header: a case-insensitive scheme, spaces, and a `token68` (RFC 6750 §2.1, RFC 9110 §11.2). */
function parseToken(header: string, scheme: string): string | undefined {
  if (header.length > maxHeaderLength || header.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase())
    return undefined;
  return /^ +([\w.~+/-]+=*)$/.exec(header.slice(scheme.length))?.[1];
}

function rejectToken(request: Request, challenge: string): never {
  addErrorHeaders(request, { "www-authenticate": challenge });
  throw errors.E_USER_TOKEN();
}
