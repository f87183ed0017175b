import {
  addErrorHeaders,
  byAddress,
  type Handler,
  type Middleware,
  Request,
  type Response,
  Session,
} from "../../../web/index.ts";
import type { User, UserService, UserSession } from "../contract.ts";
import { errors } from "../errors.ts";

/** Who sends a request: looked for when it is first asked, and kept. */
interface CurrentUser {
  /** The service that keeps the sessions; `undefined` where users come by a token. */
  readonly service: UserService | undefined;
  user: Promise<User | undefined> | undefined;
  /** How a user would have to prove who it is, for `WWW-Authenticate`. */
  readonly challenge: string;
}

const key = Request.key<CurrentUser>("current user");
const sessionKey = "user";
// RFC 9110 §15.5.2 wants a challenge. No scheme is registered for cookies, and browsers ignore one that they do not know.
const cookie = "Cookie";
const middlewares = new WeakMap<UserService, Middleware>();

/**
 * Lets the routes behind it know who is logged in, for the functions beside it. Stands behind the session middleware;
 * reads nothing until somebody asks.
 *
 * @example
 * const site = Web.choose(routes, { middlewares: [...Web.Middleware.site(), User.Web.middleware(user)] });
 */
export function middleware(service: UserService): Middleware {
  const made = middlewares.get(service) ?? currentUser(service);
  middlewares.set(service, made);
  return made;
}

function currentUser(service: UserService): Middleware {
  const found: Middleware = (handler: Handler) => (request) => {
    request.set(key, { service, user: undefined, challenge: cookie });
    return handler(request);
  };
  return Object.defineProperty(found, "name", { value: "user" });
}

/** Says who sends a request, or that nobody does, where that is known otherwise than by a session. */
export function setUser(request: Request, known: User | undefined, challenge: string): void {
  request.set(key, { service: undefined, user: Promise.resolve(known), challenge });
}

/**
 * The user who is logged in, or `undefined`. Read from the database at most once per request, so that whoever logged out,
 * was deactivated, or has another password is nobody at once, whatever copy of the cookie is sent.
 *
 * @throws E_USER_MIDDLEWARE, E_SESSION_MISSING
 */
export function user(request: Request): Promise<User | undefined> {
  const current = currentOf(request);
  return (current.user ??= read(current, request));
}

/**
 * The user who is logged in: for routes that are for users alone, behind `requireUser` or `userFromToken`.
 *
 * @throws E_USER_LOGIN_REQUIRED (401) when nobody is, E_USER_MIDDLEWARE, E_SESSION_MISSING
 */
export async function userOrThrow(request: Request): Promise<User> {
  return (await user(request)) ?? refuseStranger(request);
}

/** @throws E_USER_LOGIN_REQUIRED (401), with the challenge that goes with it */
export function refuseStranger(request: Request): never {
  addErrorHeaders(request, ["www-authenticate", currentOf(request).challenge]);
  throw errors.E_USER_LOGIN_REQUIRED();
}

async function read({ service }: CurrentUser, request: Request): Promise<User | undefined> {
  const session = Session.reserved(sessionKey, request);
  return session === undefined ? undefined : service?.findBySession(session);
}

/**
 * Who sends a request, for a request limit: the user, or without one the network, as `Web.byAddress`. So that what a user
 * may do is counted wherever it is done from.
 *
 * @throws E_USER_MIDDLEWARE, E_SESSION_MISSING
 * @example
 * const limit = Web.Middleware.requestLimit({ limit: 5, period: Time.hours(1), key: User.Web.byUser });
 */
export async function byUser(request: Request): Promise<string> {
  const loggedIn = await user(request);
  return loggedIn === undefined ? byAddress(request) : `user ${loggedIn.id}`;
}

/**
 * Logs a user in: the response begins a new session, and nothing of the one before is left (OWASP ASVS 7.2.4). The
 * cookie holds the id of the session, which is of no use once the session has ended.
 *
 * @throws E_USER_MIDDLEWARE, E_USER_NOT_FOUND
 * @example
 * const result = await users.login(email, password);
 * if (result.ok) return User.Web.login(result.value, request, Web.Response.redirect(User.Web.returnPath(request)));
 */
export async function login(loggedIn: User, request: Request, response: Response): Promise<Response> {
  const { service } = await endSession(request);
  const session = await service.startSession(loggedIn, { userAgent: request.header("user-agent") });
  request.set(key, { service, user: Promise.resolve(loggedIn), challenge: cookie });
  return Session.renew([[sessionKey, session]], response);
}

/**
 * Logs out on this device: its session ends, and every copy of its cookie with it. Other devices stay logged in;
 * `logoutEverywhere` ends them all. Nothing of what the application kept in the session is left. Who is not logged in
 * gets a new session, no more.
 *
 * @throws E_USER_MIDDLEWARE
 */
export async function logout(request: Request, response: Response): Promise<Response> {
  const { service } = await endSession(request);
  request.set(key, { service, user: Promise.resolve(undefined), challenge: cookie });
  return Session.renew([], response);
}

/** As `logout`, on all devices of the user. @throws E_USER_MIDDLEWARE */
export async function logoutEverywhere(request: Request, response: Response): Promise<Response> {
  const loggedIn = await user(request);
  if (loggedIn !== undefined) await serviceOf(request).endSessions(loggedIn);
  return logout(request, response);
}

/** Where the user who is logged in is logged in, this browser marked; nothing for nobody. @throws E_USER_MIDDLEWARE */
export async function sessions(request: Request): Promise<readonly UserSession[]> {
  const loggedIn = await user(request);
  const current = Session.reserved(sessionKey, request);
  return loggedIn === undefined ? [] : serviceOf(request).listSessions(loggedIn, { current });
}

/** Logs out on all devices but this one. @throws E_USER_MIDDLEWARE */
export async function logoutElsewhere(request: Request): Promise<void> {
  const loggedIn = await user(request);
  const except = Session.reserved(sessionKey, request);
  if (loggedIn !== undefined) await serviceOf(request).endSessions(loggedIn, { except });
}

async function endSession(request: Request): Promise<{ readonly service: UserService }> {
  const service = serviceOf(request);
  const session = Session.reserved(sessionKey, request);
  if (session !== undefined) await service.endSession(session);
  return { service };
}

function serviceOf(request: Request): UserService {
  const { service } = currentOf(request);
  if (service === undefined) throw errors.E_USER_MIDDLEWARE();
  return service;
}

function currentOf(request: Request): CurrentUser {
  const current = request.get(key);
  if (current === undefined) throw errors.E_USER_MIDDLEWARE();
  return current;
}
