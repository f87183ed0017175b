import { Log } from "../../log/index.ts";
import { constantTimeEqual } from "../../random/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import type { HandlerResult, Middleware, Route } from "../../http/router/index.ts";
import { failure } from "../errors/failure.ts";
import { withName } from "../middleware/factory.ts";
import { cookieByEnvironment, readCookie, writeCookie } from "../session/signed-cookie.ts";
import { hashOf, type Maintenance, readMaintenance } from "./state.ts";

const log = Log.source("limmat.http");
const maintenanceCheckMs = Time.seconds(1);
const passMaxAgeMs = Time.hours(12);

/**
 * Creates the middleware that answers 503 while the site is in maintenance: a page or a problem document, with
 * `Retry-After`. It looks for the file of the maintenance once a second, when a request arrives.
 *
 * Health checks and other routes that bypass load shedding are answered as always. A browser that opens the secret link gets
 * a signed cookie, with which it sees the site for 12 hours, but at most until the maintenance ends.
 */
export function maintenance(
  refuse: (request: Request, cause: unknown) => HandlerResult,
  routes: readonly Route[],
): Middleware {
  const openPaths = new Set(routes.filter((route) => route.bypassesLoadShedding).map(({ path }) => path));
  const current = currentMaintenance();
  return withName("maintenance", (handler) => (request) => {
    const state = current();
    if (state === undefined || openPaths.has(request.path) || hasPass(request, state)) return handler(request);
    if (isSecretLink(request, state)) return letIn(request, state);
    const headers = { "retry-after": String(state.retryAfterSeconds) };
    return refuse(request, failure(503, state.message, { headers }));
  });
}

/**
 * Returns a function that reads the maintenance at most once a second, and logs its begin and end. A timer marks what was
 * read as old: reading the clock for each request would cost more.
 */
function currentMaintenance(): () => Maintenance | undefined {
  let state: Maintenance | undefined;
  let isFresh = false;
  return () => {
    if (isFresh) return state;
    isFresh = true;
    TimeInternals.after(maintenanceCheckMs, () => void (isFresh = false), { keepAlive: false });
    const before = state;
    state = readMaintenance();
    if (before === undefined && state !== undefined) log.warning("The site is in maintenance");
    if (before !== undefined && state === undefined) log.info("The maintenance of the site has ended");
    return state;
  };
}

const passCookie = cookieByEnvironment("maintenance", "_maintenance", undefined);

/** Returns true for a browser that has opened the secret link of this maintenance. */
function hasPass(request: Request, { secretHash }: Maintenance): boolean {
  const pass = readCookie(passCookie(), request.cookies);
  return pass !== undefined && pass.value === secretHash && TimeInternals.timestamp() - pass.signedAtMs <= passMaxAgeMs;
}

function isSecretLink({ method, path }: Request, { secretHash }: Maintenance): boolean {
  return method === "GET" && secretHash !== undefined && constantTimeEqual(hashOf(path.slice(1)), secretHash);
}

function letIn({ prefix }: Request, { secretHash = "" }: Maintenance): Response {
  const response = Response.redirect(`${prefix}/`).withHeader("cache-control", "no-store");
  const cookie = writeCookie(passCookie(), secretHash, passMaxAgeMs);
  return cookie === undefined ? response : response.withCookie(cookie);
}
