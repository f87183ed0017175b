import { User, Web } from "limmat";
import * as Account from "../../app/domain/account/account.ts";
import { user } from "../../service/service.ts";

const tokenKey = Web.Request.key<string>("token");
const scheme = "Token";

const readToken = (text: string, request: Web.Request): Promise<string | undefined> => {
  request.set(tokenKey, text);
  return Account.readToken(text);
};

/** Middleware that requires the token of an account: `Authorization: Token …`. */
export const requireToken: Web.Middleware = User.Web.userFromToken(user, readToken, { scheme });

/** Middleware that accepts requests without a token, and refuses an invalid one. */
export const optionalToken: Web.Middleware = User.Web.userFromToken(user, readToken, { scheme, optional: true });

/** Returns the id of the current user, or `undefined` without a token. */
export const userIdOpt = async (request: Web.Request): Promise<string | undefined> =>
  (await User.Web.user(request))?.id;

/** Returns the id of the current user. */
export const userId = async (request: Web.Request): Promise<string> => (await User.Web.userOrThrow(request)).id;

/** Returns the token of the request. */
export const requestToken = (request: Web.Request): string => request.get(tokenKey) ?? "";

/** Responds to wrong credentials. */
export const wrongCredentials = (): Web.Response =>
  Web.Response.empty(401, { headers: { "www-authenticate": scheme } });
