import { AssertionError } from "node:assert";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { errors } from "./errors.ts";

/** Attempt to reach a host. */
interface Attempt {
  /** Host and port. */
  readonly target: string;
  /** Location in the application, as far as the stack trace still has it. */
  readonly at: string | undefined;
}

/** Guard of one scope. */
interface Guard {
  readonly allowed: readonly string[];
  readonly attempts: Attempt[];
}

const guards: { readonly active: Guard[]; restore: (() => void) | undefined } = { active: [], restore: undefined };

/**
 * Refuses connections to other hosts until the end of the scope: those of `fetch`, of `node:http`, `node:https`,
 * `node:http2`, `node:tls` and `node:net`, and of the packages that use them. The caller gets E_TEST_OUTBOUND. At the end of
 * the scope, the test fails if there was an attempt, even if the application has caught the error.
 *
 * `allow` lists hosts that may be reached: `api.example.com`, `*.example.com` for all names below it, with a port (`db:5432`)
 * for that port only. Loopback, local sockets and the databases of the configuration are always allowed.
 *
 * Datagrams and DNS queries are not refused. Nothing is replaced outside of such a scope.
 *
 * @throws AssertionError at the end of the scope, with the hosts and locations.
 * @example
 * using _ = forbidOutboundRequests({ allow: ["sandbox.payments.example"] });
 */
export function forbidOutboundRequests({ allow = [] }: { readonly allow?: readonly string[] } = {}): Disposable {
  const guard: Guard = { allowed: [...allow.map((host) => host.toLowerCase()), ...configuredHosts()], attempts: [] };
  guards.active.push(guard);
  guards.restore ??= interceptConnections();
  return {
    [Symbol.dispose]: () => {
      const index = guards.active.indexOf(guard);
      if (index === -1) return;
      guards.active.splice(index, 1);
      if (guards.active.length === 0) {
        guards.restore?.();
        guards.restore = undefined;
      }
      if (guard.attempts.length === 0) return;
      const lines = guard.attempts.map(({ target, at }) => `  ${target}${at === undefined ? "" : `\n     at ${at}`}`);
      throw new AssertionError({
        message: `The test tried to reach other hosts. Replace the service, or add them to "allow":\n${lines.join("\n")}`,
        operator: "forbidOutboundRequests",
      });
    },
  };
}

/** Returns the hosts of databases and caches that the configuration of the tests names. */
function configuredHosts(): readonly string[] {
  const keys = new Set([...ConfigurationInternals.keysInEnvFiles().keys(), ...Object.keys(process.env)]);
  return [...keys]
    .filter((key) => key.endsWith("_URL"))
    .map((key) => URL.parse(Configuration.readString(key) ?? ""))
    .filter((url) => url !== null && /^(?:postgres(?:ql)?|mariadb|mysql|rediss?):$/.test(url.protocol))
    .map((url) => url?.hostname.toLowerCase() ?? "");
}

/** Replaces `connect` of sockets, on which all clients of Node are built. Returns the function that restores it. */
function interceptConnections(): () => void {
  const prototype = Socket.prototype as { connect: (...args: unknown[]) => Socket };
  const original = prototype.connect;
  prototype.connect = function connect(this: Socket, ...args: unknown[]): Socket {
    const target = targetOf(args);
    const guard = target === undefined ? undefined : refusingGuard(target);
    if (guard === undefined || target === undefined) return original.apply(this, args);
    record(guard, target);
    // Fails as a refused connection does: after the caller could add its listeners.
    process.nextTick(() => this.destroy(errors.E_TEST_OUTBOUND(hostAndPort(target))));
    return this;
  };
  // A request on a connection that is open since an earlier scope connects no socket.
  const onFetch = (message: unknown): void => {
    const { origin } = (message as { readonly request: { readonly origin?: unknown } }).request;
    const url = URL.parse(String(origin));
    if (url === null) return;
    const target = { host: url.hostname, port: url.port || (url.protocol === "https:" ? "443" : "80") };
    const guard = refusingGuard(target);
    if (guard !== undefined) record(guard, target);
  };
  subscribe("undici:request:create", onFetch);
  return () => {
    prototype.connect = original;
    unsubscribe("undici:request:create", onFetch);
  };
}

/** Host and port of a connection. */
interface Target {
  readonly host: string;
  readonly port: string;
}

/** Returns the target of the arguments of `Socket.connect`, or `undefined` for a local socket. */
function targetOf(args: readonly unknown[]): Target | undefined {
  // `net.connect` passes its arguments as one list.
  const [first, second] = Array.isArray(args[0]) ? (args[0] as readonly unknown[]) : args;
  if (typeof first === "object" && first !== null) {
    const { host, port, path } = first as Readonly<Record<string, unknown>>;
    return typeof path === "string" ? undefined : makeTarget(host, port);
  }
  const isPath = typeof first === "string" && !/^\d+$/.test(first);
  return isPath ? undefined : makeTarget(second, first);
}

const makeTarget = (host: unknown, port: unknown): Target => ({
  host: typeof host === "string" && host !== "" ? host.toLowerCase() : "localhost",
  port: String(port),
});

const hostAndPort = ({ host, port }: Target): string => `${host}:${port}`;

/** Returns the innermost guard if it does not allow a target. */
function refusingGuard(target: Target): Guard | undefined {
  const guard = guards.active.at(-1);
  const host = target.host.replace(/^::ffff:/, "");
  if (guard === undefined || ConfigurationInternals.isLoopback(host) || host === "0.0.0.0" || host === "::")
    return undefined;
  const isAllowed = guard.allowed.some((entry) => {
    if (entry === target.host || entry === hostAndPort(target)) return true;
    return entry.startsWith("*.") && target.host.endsWith(entry.slice(1));
  });
  return isAllowed ? undefined : guard;
}

function record(guard: Guard, target: Target): void {
  if (guard.attempts.some((attempt) => attempt.target === hostAndPort(target))) return;
  guard.attempts.push({ target: hostAndPort(target), at: callSite() });
}

const thisFile = import.meta.url;

/** Returns the first frame of the stack trace outside of Node, packages and this file. */
function callSite(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = "" } = new Error("call site");
  Error.stackTraceLimit = limit;
  const frames = stack.split("\n").slice(1);
  const frame = frames.find((line) => !/node:|\/node_modules\//.test(line) && !line.includes(thisFile));
  return frame?.trim().replace(/^at (?:async )?/, "");
}
