import { Configuration } from "../../../config/index.ts";
import { addressKey } from "../../../email-address/index.ts";
import {
  addErrorHeaders,
  type Handler,
  type Middleware,
  Request,
  RequestLimit,
  type Response,
  Session,
} from "../../../web/index.ts";
import type { LoginClient, User, UserService, UserSession } from "../contract.ts";
import { addDevice, deviceCookieMaxAge } from "../engine/device-cookie.ts";
import { errors } from "../errors.ts";

/** Current user of a request. It is loaded on first access and cached. */
interface CurrentUser {
  /** Service that stores the sessions; `undefined` if users authenticate by token. */
  readonly service: UserService | undefined;
  user: Promise<User | undefined> | undefined;
  /** Authentication scheme for `WWW-Authenticate`. */
  readonly challenge: string;
}

const currentUserKey = Request.key<CurrentUser>("current user");
const sessionKey = "user";
// RFC 9110 §15.5.2 requires a challenge. No scheme is registered for cookies, and browsers ignore unknown schemes.
const cookieChallenge = "Cookie";
const middlewares = new WeakMap<UserService, Middleware>();

/**
 * Returns a middleware that provides the current user to the other functions of this namespace. Place it after the
 * session middleware. It reads nothing until one of them is called.
 *
 * @example
 * const site = Web.choose(routes, { middlewares: [...Web.Middleware.site(), User.Web.middleware(user)] });
 */
export function middleware(service: UserService): Middleware {
  const existing = middlewares.get(service);
  if (existing !== undefined) return existing;
  const currentUser: Middleware = (handler: Handler) => (request) => {
    request.set(currentUserKey, { service, user: undefined, challenge: cookieChallenge });
    return handler(request);
  };
  Object.defineProperty(currentUser, "name", { value: "user" });
  middlewares.set(service, currentUser);
  return currentUser;
}

/** Sets the current user of a request that authenticates without a session. `undefined` means nobody. */
export function setUser(request: Request, current: User | undefined, challenge: string): void {
  request.set(currentUserKey, { service: undefined, user: Promise.resolve(current), challenge });
}

/**
 * Returns the logged-in user, or `undefined`. It reads the database at most once per request. A logout, a deactivation or
 * a new password therefore takes effect immediately, for every copy of the cookie.
 *
 * @throws E_USER_MIDDLEWARE, E_SESSION_MISSING
 */
export function user(request: Request): Promise<User | undefined> {
  const current = requireCurrentUser(request);
  return (current.user ??= loadUser(current, request));
}

/**
 * Returns the logged-in user, for routes behind `requireUser` or `userFromToken`.
 *
 * @throws E_USER_LOGIN_REQUIRED (401) without a user, E_USER_MIDDLEWARE, E_SESSION_MISSING
 */
export async function userOrThrow(request: Request): Promise<User> {
  return (await user(request)) ?? loginRequired(request);
}

/** @throws E_USER_LOGIN_REQUIRED (401), with its `WWW-Authenticate` challenge */
export function loginRequired(request: Request): never {
  addErrorHeaders(request, { "www-authenticate": requireCurrentUser(request).challenge });
  throw errors.E_USER_LOGIN_REQUIRED();
}

async function loadUser({ service }: CurrentUser, request: Request): Promise<User | undefined> {
  const session = Session.findReserved(sessionKey, request);
  return session === undefined ? undefined : service?.findBySessionOpt(session);
}

/**
 * Returns the key of a request for a request limit: the user on all devices, or else the network of the client.
 *
 * @throws E_USER_MIDDLEWARE, E_SESSION_MISSING
 * @example
 * const limit = Web.Middleware.requestLimit({ limit: 5, periodMs: Time.hours(1), key: User.Web.byUser });
 */
export async function byUser(request: Request): Promise<string> {
  const loggedIn = await user(request);
  return loggedIn === undefined ? RequestLimit.byAddress(request) : `user ${loggedIn.id}`;
}

/** Returns the client of a request for `login` of the user service: its network and the device cookie of the browser. */
export function client(request: Request): LoginClient {
  return { network: RequestLimit.byAddress(request), deviceCookie: findDeviceCookie(request) };
}

/** Returns the device cookie of a request. With the prefix `__Host-`, no other host can set it. */
function findDeviceCookie(request: Request): string | undefined {
  const name = deviceCookieName();
  const values = request.cookies.filter(([cookieName]) => cookieName === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

const isProduction = (): boolean => Configuration.environment() === "production";

const deviceCookieName = (): string => (isProduction() ? "__Host-_device" : "_device");

/**
 * Logs a user in. The response starts a new session and keeps nothing of the old one (OWASP ASVS 7.2.4). The cookie
 * contains the id of the session, which is useless once the session has ended. A second cookie, valid for a year, exempts
 * this browser from locks that the failed logins of others cause: see `client`.
 *
 * @throws E_USER_MIDDLEWARE, E_USER_NOT_FOUND, E_USER_CHANGED (409) if password, address or status of the user have
 * changed since it was read
 * @example
 * const result = await users.login(email, password, { client: User.Web.client(request) });
 * if (result.ok) return User.Web.login(result.value, request, Web.Response.redirect(User.Web.returnPath(request)));
 */
export async function login(loggedIn: User, request: Request, response: Response): Promise<Response> {
  const service = await endSession(request);
  const session = await service.startSession(loggedIn, { userAgent: request.header("user-agent") });
  request.set(currentUserKey, { service, user: Promise.resolve(loggedIn), challenge: cookieChallenge });
  return Session.renew([[sessionKey, session]], response).withCookie({
    name: deviceCookieName(),
    value: addDevice(findDeviceCookie(request), addressKey(loggedIn.email)),
    maxAge: deviceCookieMaxAge,
    secure: isProduction(),
  });
}

/**
 * Logs out on this device. The session ends, which invalidates every copy of its cookie, and its data is discarded. Other
 * devices stay logged in: see `logoutEverywhere`. Without a logged-in user it only renews the session.
 *
 * `Clear-Site-Data` deletes pages and stored data of this origin in the browser (OWASP ASVS 14.3.1), but not cookies, which
 * would include those of other hosts of the domain. A header that the response has is kept.
 *
 * @throws E_USER_MIDDLEWARE
 */
export async function logout(request: Request, response: Response): Promise<Response> {
  const service = await endSession(request);
  request.set(currentUserKey, { service, user: Promise.resolve(undefined), challenge: cookieChallenge });
  return Session.renew([], response).withDefaultHeaders({ "clear-site-data": '"cache", "storage"' });
}

/** Logs out on all devices of the user. Otherwise it behaves like `logout`. @throws E_USER_MIDDLEWARE */
export async function logoutEverywhere(request: Request, response: Response): Promise<Response> {
  const loggedIn = await user(request);
  if (loggedIn !== undefined) await requireUserService(request).endSessions(loggedIn);
  return logout(request, response);
}

/** Lists the sessions of the logged-in user, if any, and marks the current one. @throws E_USER_MIDDLEWARE */
export async function sessions(request: Request): Promise<readonly UserSession[]> {
  const loggedIn = await user(request);
  const current = Session.findReserved(sessionKey, request);
  return loggedIn === undefined ? [] : requireUserService(request).listSessions(loggedIn, { current });
}

/** Logs out on all devices but this one. @throws E_USER_MIDDLEWARE */
export async function logoutElsewhere(request: Request): Promise<void> {
  const loggedIn = await user(request);
  const except = Session.findReserved(sessionKey, request);
  if (loggedIn !== undefined) await requireUserService(request).endSessions(loggedIn, { except });
}

async function endSession(request: Request): Promise<UserService> {
  const service = requireUserService(request);
  const session = Session.findReserved(sessionKey, request);
  if (session !== undefined) await service.endSession(session);
  return service;
}

function requireUserService(request: Request): UserService {
  const { service } = requireCurrentUser(request);
  if (service === undefined) throw errors.E_USER_MIDDLEWARE();
  return service;
}

function requireCurrentUser(request: Request): CurrentUser {
  const current = request.get(currentUserKey);
  if (current === undefined) throw errors.E_USER_MIDDLEWARE();
  return current;
}
