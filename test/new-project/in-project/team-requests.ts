// Requests to every route of the project, with the forms and JSON that the project itself offers. It runs in the project.
import { router } from "../routes/routes.ts";
import { app } from "../run/run.ts";
import type { Person } from "./two-teams.ts";

/** Request of a test. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/** Response to a request. Its body is read as Latin-1. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request as a person: pages with cookies, an API with a token. */
export async function send({ cookie, csrf, token }: Person, { method, path, headers, body }: Sent): Promise<Answer> {
  const credentials = isApi(path) ? { authorization: `Bearer ${token}` } : { cookie, "x-csrf-token": csrf };
  const response = await app.request(path, { method, headers: { ...credentials, ...headers }, body: body ?? null });
  const content = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, headers: response.headers, body: content };
}

/** Follows a redirect with the cookies that it sets, such as that of a flash message. */
export function follow(person: Person, { headers }: Answer): Promise<Answer> {
  const set = headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  const names = set.map((pair) => pair.slice(0, pair.indexOf("=") + 1));
  const kept = person.cookie.split("; ").filter((pair) => !names.some((name) => pair.startsWith(name)));
  const path = headers.get("location") ?? "";
  return send({ ...person, cookie: [...kept, ...set].join("; ") }, { method: "GET", path, headers: formHeaders });
}

export const isApi = (path: string): boolean => /^\/(?:team-)?api\//.test(path);

export const jsonHeaders = { accept: "application/json", "content-type": "application/json" };
export const formHeaders = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };

/** Route of the project, for one method. */
export interface Target {
  readonly method: string;
  readonly path: string;
  /** Segments before the parameters: `projects` and `members` of `/projects/:project/members/:id`. */
  readonly parents: readonly string[];
}

const parameter = /:\w+(?:<\w+>)?/g;

/** Routes of the project, read from its route table. */
export const targets: readonly Target[] = router.routes
  .filter(({ isPlaceholder }) => !isPlaceholder)
  .flatMap(({ methods, path }) => {
    const parents = Array.from(path.matchAll(/([\w-]+)\/:/g), ([, segment = ""]) => segment);
    return methods.map((method) => ({ method, path, parents }));
  });

/** Returns the path of a route with values for its parameters. */
export function fill({ path }: Pick<Target, "path">, values: readonly string[]): string {
  let index = 0;
  return path.replaceAll(parameter, () => values[index++] ?? "");
}

/** Last segment of a path that is no parameter: `issues` of `/projects/:project/issues`. */
export const resourceOf = ({ path }: Pick<Target, "path">): string =>
  path.split("/").findLast((part) => !part.startsWith(":") && !/^(?:|new|edit)$/.test(part)) ?? "";

/** Pairs of a form. The value of a file input is `undefined`. */
export type Pairs = readonly (readonly [name: string, value: string | undefined])[];

/** Forms of the pages that a person sees, by method and route. */
export interface Forms {
  readonly writes: ReadonlyMap<string, Pairs>;
  /** Names in the forms of lists, by path of the route. */
  readonly filters: ReadonlyMap<string, readonly string[]>;
}

export const keyOf = ({ method, path }: Pick<Target, "method" | "path">): string => `${method} ${path}`;

/** Reads the forms of all pages. `valuesOf` returns the parameters of a route. */
export async function readForms(person: Person, valuesOf: (target: Target) => readonly string[]): Promise<Forms> {
  const [writes, filters] = [new Map<string, Pairs>(), new Map<string, readonly string[]>()];
  for (const page of targets.filter(({ method, path }) => method === "GET" && !isApi(path))) {
    const { body } = await send(person, { method: "GET", path: fill(page, valuesOf(page)), headers: formHeaders });
    for (const [, attributes = "", content = ""] of body.matchAll(/<form([^>]*)>([^]*?)<\/form>/g)) {
      const pairs = pairsOf(content);
      if (!/method="post"/i.test(attributes)) {
        filters.set(page.path, [...new Set(pairs.map(([name]) => name))]);
        continue;
      }
      const action = attributeOf(attributes, "action") ?? fill(page, valuesOf(page));
      const method = (pairs.find(([name]) => name === "_method")?.[1] ?? "post").toUpperCase();
      const target = targetOf(method, action.replace(/\?.*/, ""));
      if (target === undefined) continue;
      const inputs = pairs.filter(([name]) => name !== "_method" && name !== "csrf");
      const key = keyOf(target);
      if ((writes.get(key)?.length ?? -1) < inputs.length) writes.set(key, inputs);
    }
  }
  return { writes: withValues(writes), filters };
}

/** Fills the forms of new entries with the values of entries of the same kind. */
function withValues(writes: ReadonlyMap<string, Pairs>): ReadonlyMap<string, Pairs> {
  const stored = new Map(
    Array.from(writes, ([key, pairs]) => [resourceOf({ path: key }), pairs] as const).filter(([, pairs]) =>
      pairs.some(([name]) => name === "version"),
    ),
  );
  return new Map(
    Array.from(writes, ([key, pairs]) => {
      const values = stored.get(resourceOf({ path: key }));
      if (key.endsWith("/members")) return [key, pairs.map(withAddress)] as const;
      if (!key.startsWith("POST ") || values === undefined) return [key, pairs] as const;
      return [key, values.filter(([name]) => name !== "version").map(fresh)] as const;
    }),
  );
}

const withAddress = ([name, value]: Pairs[number]): Pairs[number] => [
  name,
  name === "email" ? "new@example.com" : value,
];

/** Changes a value that may have to be unique. */
const fresh = ([name, value]: Pairs[number]): Pairs[number] => {
  const isNumber = name === "number";
  return [name, isNumber ? "4711" : /^(?:name|title|text|thing)$/.test(name) ? `${value} new` : value];
};

function targetOf(method: string, path: string): Target | undefined {
  return targets.find((target) => {
    const pattern = target.path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : part));
    return target.method === method && new RegExp(`^${pattern.join("/")}$`).test(path);
  });
}

/** Returns the values that a browser sends for the controls of a form, without JavaScript. */
function pairsOf(content: string): Pairs {
  const pairs: Pairs[number][] = [];
  for (const [tag, kind, attributes = "", inner = ""] of content.matchAll(
    /<(?:(select|textarea)([^>]*)>([^]*?)<\/\1>|input([^>]*)>)/g,
  )) {
    const all = kind === undefined ? tag : attributes;
    const name = attributeOf(all, "name");
    if (name === undefined) continue;
    if (kind === "textarea") pairs.push([name, unescape(inner).trim()]);
    else if (kind === "select") {
      const options = [...inner.matchAll(/<option([^>]*)>/g)].map(([, option = ""]) => option);
      const selected = options.find((option) => / selected/.test(option)) ?? options[0] ?? "";
      pairs.push([name, attributeOf(selected, "value") ?? ""]);
    } else if (/type="file"/.test(all)) pairs.push([name, undefined]);
    else if (!/type="(?:checkbox|radio)"/.test(all)) pairs.push([name, attributeOf(all, "value") ?? ""]);
    else if (/ checked/.test(all)) pairs.push([name, attributeOf(all, "value") ?? "on"]);
    else pairs.push([name, ""]);
  }
  return pairs.filter(([name, value], index) => value !== "" || pairs.findIndex(([other]) => other === name) === index);
}

const attributeOf = (attributes: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescape(value);
};

const unescape = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Encodes a form. A `_method` of the form names another method than POST. */
export function encodeForm(pairs: Pairs): Pick<Sent, "headers" | "body"> {
  const sent = pairs.filter(([name, value]) => value !== "" || !name.endsWith("_ids"));
  if (pairs.every(([, value]) => value !== undefined)) {
    return { headers: formHeaders, body: new URLSearchParams(sent as [string, string][]).toString() };
  }
  const body = new FormData();
  for (const [name, value] of sent) {
    if (value === undefined) body.append(name, new File(["GIF89a new"], "new.gif"));
    else body.append(name, value);
  }
  return { headers: { accept: "text/html" }, body };
}
