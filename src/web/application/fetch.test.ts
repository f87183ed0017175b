// Fixture of the tests of this module: a client without sockets, and a browser with cookies. It has no tests.
import { afterEach, beforeEach } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import type { Handler, Middleware } from "../../http/router/handler.ts";
import { service } from "./service.ts";
import { any, choose } from "../../http/router/route.ts";

/**
 * Gives each test of a file a separate configuration, with the environment `test` unless the pairs set another, and a
 * log that stores its entries and prints nothing.
 */
export function isolate(pairs: readonly (readonly [string, string])[] = []): { readonly entries: Log.Entry[] } {
  const entries: Log.Entry[] = [];
  beforeEach(() => {
    entries.length = 0;
    ConfigurationInternals.reset();
    Configuration.store([["FRAMEWORK_ENV", "test"], ...pairs]);
    Log.configure({ level: "debug", reporters: [{ report: (entry) => void entries.push(entry) }] });
  });
  afterEach(() => {
    ConfigurationInternals.reset();
    LogInternals.reset();
  });
  return { entries };
}

/** Sends a request to an application without a socket. */
export type Ask = (path: string, init?: RequestInit) => Promise<globalThis.Response>;

/** Returns a client of an application with one handler behind middlewares. */
export function serve(middlewares: readonly Middleware[], handler: Handler): Ask {
  const { fetch } = service({ router: choose([any("/*path", handler), any("/", handler)], { middlewares }) });
  return (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init));
}

/** Browser with a minimal cookie store (RFC 6265). */
export class Browser {
  readonly cookies: Map<string, string> = new Map<string, string>();
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<globalThis.Response> {
    return await this.send(path, { headers });
  }

  async post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<globalThis.Response> {
    return await this.send(path, { method: "POST", body: new URLSearchParams(fields), headers });
  }

  async send(path: string, init: RequestInit = {}): Promise<globalThis.Response> {
    const headers = new Headers(init.headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "" && !headers.has("cookie")) headers.set("cookie", cookie);
    const response = await this.#ask(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(name.length + 1));
  }
}
