import type { Application } from "../app/index.ts";

/** Response that a visitor receives. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Target of a redirect, or `undefined`. */
  readonly location: string | undefined;
}

/** Simulated browser of an application, without a socket: stores cookies and submits forms. */
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
  /** Stored cookies by name. */
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
export function visitor(app: Pick<Application, "request">): Visitor {
  const cookies = new Map<string, string>();
  let csrf: string | undefined;

  const request = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers({ accept: "text/html", ...(cookie === "" ? {} : { cookie }) });
    const response = await app.request(path, { ...init, headers });
    for (const header of response.headers.getSetCookie()) storeCookie(cookies, header);
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
    cookies,
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

function storeCookie(cookies: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split(";");
  const separator = pair.indexOf("=");
  const name = pair.slice(0, separator).trim();
  const isExpired = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute));
  if (isExpired) cookies.delete(name);
  else cookies.set(name, pair.slice(separator + 1).trim());
}
