// A user with a session and a CSRF token who sends arbitrary bodies.
import type { App } from "limmat";

/** Response to a user. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** User who has opened the form of a new item. */
export interface Person {
  readonly token: string;
  readonly cookie: string;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** Sends a form with the token added. */
  readonly post: (path: string, fields: Iterable<readonly [string, string]>, method?: string) => Promise<Reply>;
  /** Sends a body unchanged, with the token in a header. */
  readonly send: (method: string, path: string, body: string | Uint8Array, type?: string) => Promise<Reply>;
}

/** Opens the form of a new item, and stores its token and its cookie. */
export async function person(app: Pick<App.Application, "request">): Promise<Person> {
  const ask = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await app.request(path, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const first = await ask("/items/new", { headers: { accept: "text/html" } });
  const token = /name="csrf" value="([^"]+)"/.exec(first.body)?.[1] ?? "";
  const cookie = first.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const common = { cookie, accept: "text/html" };
  return {
    token,
    cookie,
    get: (path, headers = {}) => ask(path, { headers: { ...common, ...headers } }),
    post: (path, fields, method) => {
      const body = new URLSearchParams([...fields].map(([name, value]) => [name, value]));
      body.append("csrf", token);
      if (method !== undefined) body.append("_method", method);
      return ask(path, { method: "POST", headers: common, body });
    },
    send: (method, path, body, type = "application/json") =>
      ask(path, {
        method,
        headers: { ...common, "content-type": type, "x-csrf-token": token },
        body: Buffer.from(body),
      }),
  };
}

/** Returns the value of a field in a form. */
export function shown(page: string, field: "name" | "qty" | "name-error" | "qty-error"): string | undefined {
  const forms = {
    name: /<textarea name="name"[^>]*>\n?([^]*?)<\/textarea>/,
    qty: /<input name="qty" value="([^"]*)"/,
    "name-error": /<p id="name-error">([^<]*)</,
    "qty-error": /<p id="qty-error">([^<]*)</,
  };
  const text = forms[field].exec(page)?.[1];
  return text
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
