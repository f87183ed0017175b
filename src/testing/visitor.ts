import type { Application } from "../app/index.ts";

/** What a visitor gets. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Where a redirect leads, or `undefined`. */
  readonly location: string | undefined;
}

/** Somebody who visits the pages of an application, without a socket: keeps cookies, and sends forms as a browser does. */
export interface Visitor {
  /** Asks for a page. Its first `csrf` field, if it has one, goes with the forms that are sent next. */
  get(path: string): Promise<Page>;
  /**
   * Sends a form, with the token of the page that was seen last. Fields given here win. Several values are sent under one
   * name, as a group of checkboxes does. With a `File` among them the form is sent as one with files.
   */
  post(path: string, fields?: Fields): Promise<Page>;
  /** The same as a form does it, by a hidden `_method`. */
  put(path: string, fields?: Fields): Promise<Page>;
  patch(path: string, fields?: Fields): Promise<Page>;
  delete(path: string, fields?: Fields): Promise<Page>;
  /** Follows a redirect. */
  follow(page: Page): Promise<Page>;
  /** What is kept, by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

type Fields = Readonly<Record<string, Value | readonly Value[]>>;
type Value = string | File;

/**
 * Makes a visitor of an application, without any cookie.
 *
 * @example
 * const alice = Testing.visitor(app);
 * await alice.get("/todos/new");
 * const page = await alice.follow(await alice.post("/todos", { title: "Water the plants" }));
 * assert.match(page.body, /Water the plants/);
 */
export function visitor(app: Pick<Application, "request">): Visitor {
  const cookies = new Map<string, string>();
  let csrf: string | undefined;

  const ask = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers({ accept: "text/html", ...(cookie === "" ? {} : { cookie }) });
    const response = await app.request(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
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
    (path: string, fields: Fields = {}): Promise<Page> => {
      const hidden = { ...(csrf === undefined ? {} : { csrf }), ...(method === undefined ? {} : { _method: method }) };
      return ask(path, { method: "POST", body: bodyOf(Object.entries({ ...hidden, ...fields }).flatMap(sent)) });
    };

  return {
    get: (path) => ask(path),
    post: send(undefined),
    put: send("put"),
    patch: send("patch"),
    delete: send("delete"),
    follow: ({ location }) => {
      if (location === undefined) throw new TypeError("The page is no redirect: it has no location to follow");
      return ask(location);
    },
    cookies,
  };
}

const sent = ([name, value]: [string, Value | readonly Value[]]): readonly (readonly [name: string, value: Value])[] =>
  (typeof value === "string" || value instanceof File ? [value] : value).map((each) => [name, each]);

/** As browsers encode it: a form with files differently from one without. */
function bodyOf(fields: readonly (readonly [name: string, value: Value])[]): FormData | URLSearchParams {
  const hasFiles = fields.some(([, value]) => typeof value !== "string");
  const body = hasFiles ? new FormData() : new URLSearchParams();
  for (const [name, value] of fields) body.append(name, value as string);
  return body;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const isGone = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute));
  if (isGone) cookies.delete(name);
  else cookies.set(name, pair.slice(at + 1).trim());
}
