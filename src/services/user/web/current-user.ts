import { refuseImpersonator } from "../../../authorization/index.ts";
import { Configuration } from "../../../config/index.ts";
import { addressKey } from "../../../email-address/index.ts";
import { Random } from "../../../random/index.ts";
import {
  addErrorHeaders,
  type Handler,
  type HandlerResult,
  type Middleware,
  Request,
  RequestLimit,
  type Response,
  Session,
} from "../../../web/index.ts";
import { isErrorPage, setPageBanner } from "../../../web/page/index.ts";
import { SessionState } from "../../../web/session/index.ts";
import type {
  ImpersonatedUser,
  ImpersonationOptions,
  LoginClient,
  User,
  UserService,
  UserSession,
} from "../contract.ts";
import { addDevice, deviceCookieMaxAge } from "../engine/device-cookie.ts";
import { errors } from "../errors.ts";
import { impersonationKey, runImpersonated } from "./impersonated-request.ts";

/** Current user of a request. It is loaded on first access and cached. */
interface CurrentUser {
  /** Service that stores the sessions; `undefined` if users authenticate by token. */
  readonly service: UserService | undefined;
  user: Promise<User | undefined> | undefined;
  /** Result of `user`, `undefined` until it is there. */
  loaded: { readonly user: User | undefined } | undefined;
  /** Authentication scheme for `WWW-Authenticate`. */
  readonly challenge: string;
  /** Impersonation in whose context the handler runs. */
  impersonated?: ImpersonatedUser | undefined;
  /** True if the middleware runs before the router, so that pages of all paths have the banner of an impersonation. */
  readonly isForAllPaths?: boolean;
}

const currentUserKey = Request.key<CurrentUser>("user", (state) => state.user?.then((loaded) => loaded?.email));
const sessionKey = "user";
// RFC 9110 §15.5.2 requires a challenge. No scheme is registered for cookies, and browsers ignore unknown schemes.
const cookieChallenge = "Cookie";
const middlewares = new WeakMap<UserService, { readonly lazy: Middleware; readonly preloading: Middleware }>();

/** Options of `middleware`. */
export interface UserMiddlewareOptions {
  /**
   * True if the user is loaded before the handler, so that layouts show it by `current`: one statement for each request of
   * a logged-in browser. Default false: nothing is read until a function asks for the user.
   */
  readonly preload?: boolean;
}

/**
 * Returns a middleware that provides the current user to the other functions of this namespace. Place it after the
 * session middleware.
 *
 * @example
 * const middlewares = [...Web.Middleware.site(), User.Web.middleware(user, { preload: true })];
 */
export function middleware(service: UserService, { preload = false }: UserMiddlewareOptions = {}): Middleware {
  let made = middlewares.get(service);
  if (made === undefined) middlewares.set(service, (made = makeMiddlewares(service)));
  return preload ? made.preloading : made.lazy;
}

function makeMiddlewares(service: UserService): { readonly lazy: Middleware; readonly preloading: Middleware } {
  const provide = (request: Request): CurrentUser => {
    const existing = request.get(currentUserKey);
    if (existing?.service === service) return existing;
    const isForAllPaths = request.route === undefined && SessionState.has(request);
    const state: CurrentUser = {
      service,
      user: undefined,
      loaded: undefined,
      challenge: cookieChallenge,
      isForAllPaths,
    };
    request.set(currentUserKey, state);
    return state;
  };
  const lazy: Middleware = (handler) => (request) => {
    const state = provide(request);
    return isUnknownImpersonation(state, request) ? runAsUser(state, handler, request) : handler(request);
  };
  const preloading: Middleware = (handler) => (request) => {
    const state = provide(request);
    if (isUnknownImpersonation(state, request)) return runAsUser(state, handler, request);
    // A visitor without a login stays synchronous.
    if (Session.findReserved(sessionKey, request) === undefined) state.loaded ??= { user: undefined };
    return state.loaded === undefined ? user(request).then(() => handler(request)) : handler(request);
  };
  for (const made of [lazy, preloading]) Object.defineProperty(made, "name", { value: "user" });
  return { lazy, preloading };
}

/** Returns true if an administrator acts as a user in a request that does not know yet. It reads no database. */
const isUnknownImpersonation = (state: CurrentUser, request: Request): boolean =>
  state.loaded === undefined && SessionState.peek(impersonationKey, request) !== undefined;

async function runAsUser(state: CurrentUser, handler: Handler, request: Request): Promise<HandlerResult> {
  await user(request);
  const { impersonated } = state;
  return impersonated === undefined ? handler(request) : runImpersonated(handler, request, impersonated);
}

/** Sets the current user of a request that authenticates without a session. `undefined` means nobody. */
export function setUser(request: Request, loggedIn: User | undefined, challenge: string): void {
  setLoaded(request, { service: undefined, challenge }, loggedIn);
}

function setLoaded(
  request: Request,
  { service, challenge }: Pick<CurrentUser, "service" | "challenge">,
  loggedIn: User | undefined,
): void {
  // The banner of an impersonation that has ended.
  setPageBanner(request, undefined);
  request.set(currentUserKey, {
    service,
    user: Promise.resolve(loggedIn),
    loaded: { user: loggedIn },
    challenge,
  });
}

/**
 * Returns the logged-in user, or `undefined`. It reads the database at most once per request. A logout, a deactivation or
 * a new password therefore takes effect immediately, for every copy of the cookie.
 *
 * @throws E_USER_MIDDLEWARE, E_SESSION_MISSING
 */
export function user(request: Request): Promise<User | undefined> {
  const state = requireCurrentUser(request);
  return (state.user ??= loadUser(state, request));
}

/**
 * Returns the logged-in user, or `undefined`, without waiting: for layouts and other synchronous views. The user was loaded
 * before: by `middleware` with `preload`, by a guard such as `requireUser`, by `userFromToken`, or by `user`. In an error page of
 * a request that did not get that far, nobody is logged in.
 *
 * @throws E_USER_NOT_LOADED, E_USER_MIDDLEWARE
 * @example
 * const name = User.Web.current(request)?.name ?? "Guest";
 */
export function current(request: Request): User | undefined {
  const state = request.get(currentUserKey);
  if (state?.loaded !== undefined) return state.loaded.user;
  if (isErrorPage(request)) return undefined;
  throw state === undefined ? errors.E_USER_MIDDLEWARE() : errors.E_USER_NOT_LOADED(request.path);
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

async function loadUser(state: CurrentUser, request: Request): Promise<User | undefined> {
  const session = Session.findReserved(sessionKey, request);
  const impersonation = session === undefined ? Session.findReserved(impersonationKey, request) : undefined;
  if (impersonation !== undefined) state.impersonated = await state.service?.impersonation?.findOpt(impersonation);
  const found = session === undefined ? state.impersonated?.user : await state.service?.findBySessionOpt(session);
  state.loaded = { user: found };
  return found;
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

/** Options of `login`. */
export interface LoginOptions {
  /**
   * Keys of `Web.Session` whose values the new session keeps, such as `cart`. Default: none. They come from before the login,
   * maybe from another person at this browser: name none that grants something.
   */
  readonly keep?: readonly string[] | undefined;
}

/**
 * Logs a user in. The response starts a new session and keeps nothing of the old one but what `keep` names (OWASP ASVS
 * 7.2.4). The cookie contains the id of the session, which is useless once the session has ended. A second cookie, valid for
 * a year, exempts this browser from locks that the failed logins of others cause: see `client`.
 *
 * @throws E_USER_MIDDLEWARE, E_USER_NOT_FOUND, E_USER_CHANGED (409) if password, address or status of the user have
 * changed since it was read, E_IMPERSONATED (403)
 * @example
 * const result = await users.login(email, password, { client: User.Web.client(request) });
 * if (result.ok) return User.Web.login(result.value, request, Web.Response.redirect(User.Web.returnPath(request)));
 */
export async function login(
  loggedIn: User,
  request: Request,
  response: Response,
  options: LoginOptions = {},
): Promise<Response> {
  refuseImpersonator(loggedIn.id);
  const service = await endSession(request);
  const session = await service.startSession(loggedIn, { userAgent: request.header("user-agent") });
  setLoaded(request, { service, challenge: cookieChallenge }, loggedIn);
  return Session.renew([[sessionKey, session]], response, options).withCookie({
    name: deviceCookieName(),
    value: addDevice(findDeviceCookie(request), addressKey(loggedIn.email)),
    maxAge: deviceCookieMaxAge,
    secure: isProduction(),
  });
}

const clearedData = { "clear-site-data": '"cache", "storage"' };

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
  setLoaded(request, { service, challenge: cookieChallenge }, undefined);
  return Session.renew([], response).withDefaultHeaders(clearedData);
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
  const session = Session.findReserved(sessionKey, request);
  return loggedIn === undefined ? [] : requireUserService(request).listSessions(loggedIn, { current: session });
}

/** Logs out on all devices but this one. @throws E_USER_MIDDLEWARE */
export async function logoutElsewhere(request: Request): Promise<void> {
  const loggedIn = await user(request);
  const except = Session.findReserved(sessionKey, request);
  if (loggedIn !== undefined) await requireUserService(request).endSessions(loggedIn, { except });
}

async function endSession(request: Request): Promise<UserService> {
  const service = requireUserService(request);
  const session = Session.findReserved(sessionKey, request) ?? (await endImpersonation(request));
  if (session !== undefined) await service.endSession(session);
  return service;
}

/** Ends the impersonation of a request. Returns the id of the administrator's session; `undefined` if that has ended, too. */
async function endImpersonation(request: Request): Promise<string | undefined> {
  const impersonation = Session.findReserved(impersonationKey, request);
  return impersonation && (await requireUserService(request).impersonation?.end(impersonation));
}

/** Requires that the pages of all paths have the banner of an impersonation. */
export const checkAllPaths: Middleware = (handler) => (request) => {
  if (requireCurrentUser(request).isForAllPaths === true) return handler(request);
  throw errors.E_USER_IMPERSONATION_SETUP(missingMiddlewares);
};

/** Starts to act as a user. The response starts a new session. @throws the errors of `Impersonation.start` */
export async function impersonate(
  request: Request,
  userId: string,
  options: ImpersonationOptions,
  response: Response,
): Promise<Response> {
  const service = requireUserService(request);
  const session = Session.findReserved(sessionKey, request) ?? "";
  const impersonation = await service.impersonation?.start(session, { id: userId }, options);
  setLoaded(request, { service, challenge: cookieChallenge }, undefined);
  return renewSession(impersonationKey, impersonation, response);
}

const missingMiddlewares =
  "list Web.Middleware.session() and User.Web.middleware(user) in the `middlewares` of Web.Http.service, so that all pages have the banner.";

/** Returns to the account of the administrator. The response starts a new session. */
export async function stopImpersonating(request: Request, response: Response): Promise<Response> {
  if (Session.findReserved(impersonationKey, request) === undefined) return response;
  const session = await endImpersonation(request);
  setLoaded(request, { service: requireUserService(request), challenge: cookieChallenge }, undefined);
  return renewSession(sessionKey, session, response);
}

/** Starts a session of another user, with a CSRF secret, and removes what the browser has stored of the other one. */
const renewSession = (key: string, id: string | undefined, response: Response): Response => {
  const pairs = Object.entries(id === undefined ? {} : { [key]: id, csrf: Random.token() });
  return Session.renew(pairs, response, { keepAge: true }).withDefaultHeaders(clearedData);
};

function requireUserService(request: Request): UserService {
  const { service } = requireCurrentUser(request);
  if (service === undefined) throw errors.E_USER_MIDDLEWARE();
  return service;
}

function requireCurrentUser(request: Request): CurrentUser {
  const state = request.get(currentUserKey);
  if (state === undefined) throw errors.E_USER_MIDDLEWARE();
  return state;
}
