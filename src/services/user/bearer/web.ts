import { addErrorHeaders, type Handler, type Middleware, OpenApi, type Request } from "../../../web/index.ts";
import type { User, UserService } from "../contract.ts";
import { setUser } from "../current/web.ts";
import { errors } from "../errors.ts";

/** Gives the id of the user whom a token stands for, or `undefined` for a token that is not valid. */
export type ReadToken = (token: string, request: Request) => Promise<string | undefined> | string | undefined;

/** How a token is sent, and whether one must be. */
export interface UserFromTokenOptions {
  /** The word before the token, in any letter case. Default `Bearer`. */
  readonly scheme?: string;
  /**
   * Whether a request without `Authorization` is let in, as nobody's. Default false. A token that is not valid is refused
   * all the same, so that its owner notices.
   */
  readonly optional?: boolean;
}

const longest = 4096;

/**
 * Lets in who sends a valid token of an active user, `Authorization: Bearer …` (RFC 6750), and lets the routes behind it
 * know the user. Refuses everybody else with E_USER_TOKEN (401) and `WWW-Authenticate`.
 *
 * @example
 * const api = Web.choose(routes, {
 *   scope: "/api",
 *   middlewares: [...Web.Middleware.api(), User.Web.userFromToken(user, (token) => tokens.read(token, "user_id"))],
 * });
 */
export function userFromToken(
  service: UserService,
  readToken: ReadToken,
  { scheme = "Bearer", optional = false }: UserFromTokenOptions = {},
): Middleware {
  const find = async (token: string, request: Request): Promise<User | undefined> => {
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
    const token = tokenOf(header ?? "", scheme);
    if (token === undefined) return refuse(request, scheme);
    const user = await find(token, request);
    if (user === undefined) return refuse(request, `${scheme} error="invalid_token"`);
    setUser(request, user, scheme);
    return handler(request);
  };
  return OpenApi.describe(Object.defineProperty(middleware, "name", { value: "userFromToken" }), {
    security: { ...OpenApi.tokenSecurity(scheme), optional },
    answers: { 401: "There is no valid token of an active user" },
  });
}

/** RFC 6750 §2.1: a name that is one in any letter case, blanks, and a token of RFC 9110 §11.2. */
function tokenOf(header: string, scheme: string): string | undefined {
  if (header.length > longest || header.slice(0, scheme.length).toLowerCase() !== scheme.toLowerCase())
    return undefined;
  return /^ +([\w.~+/-]+=*)$/.exec(header.slice(scheme.length))?.[1];
}

function refuse(request: Request, challenge: string): never {
  addErrorHeaders(request, ["www-authenticate", challenge]);
  throw errors.E_USER_TOKEN();
}
