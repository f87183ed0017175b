import type { App } from "../app/index.ts";
import { makeCookieJar } from "./cookie-jar.ts";

/** Response that a visitor receives. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Target of a redirect, or `undefined`. */
  readonly location: string | undefined;
}

/**
 * Simulated browser of an application, without a socket: stores cookies and submits forms. Cookies follow RFC 6265bis:
 * lifetime by the clock of `Time`, path, host and domain, `Secure`, and the prefixes `__Host-` and `__Secure-`.
 */
export interface Visitor {
  /** Requests a page. The next forms are sent with its first `csrf` field, if it has one. */
  get(path: string): Promise<Page>;
  /**
   * Sends a form, with the CSRF token of the last page. `fields` takes precedence. Several values are sent under one
   * name, as by a group of checkboxes. If `fields` contains a `File`, the form is sent as `multipart/form-data`.
   */
  post(path: string, fields?: FormFields): Promise<Page>;
  /** Sends a form with a hidden `_method` field. */
  put(path: string, fields?: FormFields): Promise<Page>;
  patch(path: string, fields?: FormFields): Promise<Page>;
  delete(path: string, fields?: FormFields): Promise<Page>;
  /** Follows a redirect. */
  follow(page: Page): Promise<Page>;
  /** Values of the stored cookies by name, without expired ones. Of several with one name, the one with the longest path. */
  readonly cookies: ReadonlyMap<string, string>;
}

type FormFields = Readonly<Record<string, FormValue | readonly FormValue[]>>;
type FormValue = string | File;

/**
 * Makes a visitor of an application, without cookies.
 *
 * @example
 * const alice = visitor(app);
 * await alice.get("/todos/new");
 * const page = await alice.follow(await alice.post("/todos", { title: "Water the plants" }));
 * assert.match(page.body, /Water the plants/);
 */
export function visitor(app: Pick<App.Application, "request">): Visitor {
  const jar = makeCookieJar();
  let csrf: string | undefined;

  const request = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const url = new URL(path, "http://localhost");
    const cookie = jar.header(url);
    const headers = new Headers({ accept: "text/html", ...(cookie === "" ? {} : { cookie }) });
    const response = await app.request(path, { ...init, headers });
    for (const header of response.headers.getSetCookie()) jar.store(url, header);
    const body = await response.text();
    csrf = /<input[^>]*name="csrf"[^>]*value="([^"]+)"/.exec(body)?.[1] ?? csrf;
    return {
      status: response.status,
      headers: response.headers,
      body,
      location: response.headers.get("location") ?? undefined,
    };
  };

  const send =
    (method: string | undefined) =>
    (path: string, fields: FormFields = {}): Promise<Page> => {
      const hiddenFields = {
        ...(csrf === undefined ? {} : { csrf }),
        ...(method === undefined ? {} : { _method: method }),
      };
      const pairs = Object.entries({ ...hiddenFields, ...fields }).flatMap(formPairs);
      return request(path, { method: "POST", body: encodeForm(pairs) });
    };

  return {
    get: (path) => request(path),
    post: send(undefined),
    put: send("put"),
    patch: send("patch"),
    delete: send("delete"),
    follow: ({ location }) => {
      if (location === undefined) throw new TypeError("The page is not a redirect: it has no location header");
      return request(location);
    },
    get cookies() {
      return new Map(jar.pairs());
    },
  };
}

type FormPair = readonly [name: string, value: FormValue];

const formPairs = ([name, field]: [string, FormValue | readonly FormValue[]]): readonly FormPair[] =>
  (typeof field === "string" || field instanceof File ? [field] : field).map((value) => [name, value]);

/** Encodes a form as browsers do: as `multipart/form-data` if it contains files, otherwise URL-encoded. */
function encodeForm(pairs: readonly FormPair[]): FormData | URLSearchParams {
  const hasFiles = pairs.some(([, value]) => typeof value !== "string");
  const body = hasFiles ? new FormData() : new URLSearchParams();
  for (const [name, value] of pairs) body.append(name, value as string);
  return body;
}
