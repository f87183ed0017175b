import { User, Web } from "limmat";
import * as Account from "../../app/domain/account/account.ts";
import { user } from "../../service/service.ts";

const tokenKey = Web.Request.key<string>("token");
const scheme = "Token";

const readToken = (text: string, request: Web.Request): Promise<string | undefined> => {
  request.set(tokenKey, text);
  return Account.readToken(text);
};

/** Lets in who sends the token of an account: `Authorization: Token …`. */
export const members: Web.Middleware = User.Web.userFromToken(user, readToken, { scheme });

/** The same, and lets in who sends none. */
export const anybody: Web.Middleware = User.Web.userFromToken(user, readToken, { scheme, optional: true });

/** The id of the one who asks, if that is known. */
export const viewerOf = async (request: Web.Request): Promise<string | undefined> => (await User.Web.user(request))?.id;

/** The id of the member who asks. */
export const memberOf = async (request: Web.Request): Promise<string> => (await User.Web.userOrThrow(request)).id;

/** The token that a member sent. */
export const tokenOf = (request: Web.Request): string => request.get(tokenKey) ?? "";

/** The answer to wrong credentials. */
export const wrongCredentials = (): Web.Response =>
  Web.Response.empty(401, { headers: { "www-authenticate": scheme } });
