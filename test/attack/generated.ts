// Generated requests: most are valid, many unusual, some malformed. The same seed gives the same requests.
import { keys, naughty, sql } from "./hostile.ts";
import { exchange, pooled } from "./wire.ts";

/** Returns a pseudo-random number generator from 0 to below 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const texts = [...keys, ...sql, ...naughty];
const uuid = "00000000-0000-4000-8000-000000000000";
const methods = "GET GET GET GET POST POST PUT PATCH DELETE HEAD OPTIONS TRACE QUERY FOO get".split(" ");
const paths = [
  ..."/ /items /items /items/new /shown /shown/new /api/items /api/echo /api/form /api/json /api/query".split(" "),
  ..."/api/cookies /api/url /api/ignore /api/stream /api/path/a/b /session/a /session/a/b".split(" "),
  ..."/assets/open.txt /assets/css/app.css /assets/pipe /assets/.env /assets/up/secret.txt /nowhere * http://localhost/".split(
    " ",
  ),
  `/items/${uuid}`,
  `/items/${uuid}/edit`,
  `/api/items/${uuid}`,
];
const types = [
  "application/x-www-form-urlencoded",
  "application/json",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded; charset=utf-8",
  "",
  ";",
];
const fields = [
  ..."Accept Accept-Encoding Accept-Language Authorization Cache-Control Cookie Content-Encoding Date Expect From".split(
    " ",
  ),
  ..."If-Match If-None-Match If-Modified-Since If-Unmodified-Since If-Range Range Origin Referer TE Trailer Upgrade".split(
    " ",
  ),
  ..."Sec-Fetch-Site Sec-Fetch-Mode X-CSRF-Token X-Request-Id X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto".split(
    " ",
  ),
  ..."Forwarded X-HTTP-Method-Override X-Original-URL Via Max-Forwards Priority __proto__ constructor HX-Request".split(
    " ",
  ),
];
const values = [
  ...'text/html application/json */* gzip,br;q=0.5 bytes=0-4 bytes=5-1 bytes=-0 * W/"a" "a","b" same-origin'.split(" "),
  ..."cross-site none null https://evil.example 127.0.0.1 unix:/x 100-continue trailers chunked websocket true 0 -1".split(
    " ",
  ),
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "Fri, 99 Foo 9999 99:99:99 GMT",
  "_session=a.b.c; _flash=x; __Host-_session=y",
  "a=b; a=c; =d; e; f==; $Version=1",
  "q".repeat(3000),
  "text/html;q=0.1,".repeat(100),
  "",
];

/** Header lines with which a form passes the CSRF check. */
async function credentials(port: number): Promise<string> {
  const { answers } = await exchange(port, "GET /items/new HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const cookie = answers[0]?.header("set-cookie")?.split(";")[0] ?? "";
  const token = /name="csrf" value="([^"]+)"/.exec(answers[0]?.body ?? "")?.[1] ?? "";
  return `Cookie: ${cookie}\r\nX-CSRF-Token: ${token}\r\n`;
}

/** Generates a request, in bytes. `known` are the header lines of a client that may send forms. */
export function makeRequest(next: () => number, known: string): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const chance = (share: number): boolean => next() < share;
  const text = (): string => encodeURIComponent(pick(texts).toWellFormed());
  if (chance(0.3)) return soundRequest(pick(texts), known, pick([0, 1, 2, 3, 4]));

  let target = pick(paths);
  if (chance(0.1)) target += `/${text()}`;
  if (chance(0.3)) target += `?${pick("filter limit offset sort after before to value _method".split(" "))}=${text()}`;
  if (chance(0.05))
    target += pick(["%", "%zz", "//", "/..", "\\", "#", " ", "\0", "\x80", "?a;b&&=&c", "?".repeat(99)]);

  let head = `${pick(methods)} ${target} HTTP/1.${chance(0.05) ? 0 : 1}\r\n`;
  if (!chance(0.02)) head += `Host: ${chance(0.03) ? pick(["", "a b", "a,b", "evil/", "x:99999"]) : "localhost"}\r\n`;
  for (let count = Math.floor(next() * 6); count > 0; count--) {
    head += `${pick(fields)}: ${chance(0.2) ? pick(texts).replaceAll(/[^\x20-\x7e]/g, "") : pick(values)}\r\n`;
  }
  if (chance(0.5)) head += known;
  let body = "";
  if (chance(0.4)) {
    const name = pick(["name", "qty", "done", "csrf", "_method", ...keys]);
    body = pick([
      `${name}=${text()}&qty=1`,
      JSON.stringify({ name: pick(texts), qty: 1, done: true, [name]: 1 }),
      text(),
    ]);
    head += `Content-Type: ${pick(types)}\r\n`;
    if (chance(0.3)) {
      head += "Transfer-Encoding: chunked\r\n";
      body = `${Buffer.byteLength(body).toString(16)}\r\n${Buffer.from(body).toString("latin1")}\r\n0\r\n\r\n`;
    } else {
      body = Buffer.from(body).toString("latin1");
      head += `Content-Length: ${body.length + (chance(0.02) ? pick([-1, 1, 5]) : 0)}\r\n`;
    }
  }
  const request = `${head}\r\n${body}`;
  if (!chance(0.1)) return request;
  const at = Math.floor(next() * request.length);
  return (
    request.slice(0, at) + String.fromCharCode(Math.floor(next() * 256)) + request.slice(at + (chance(0.5) ? 1 : 0))
  );
}

/** Generates a valid request with hostile text. */
function soundRequest(text: string, known: string, kind: number): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  const json = JSON.stringify({ name: text, qty: text.length, done: true });
  const [line = "", type = "", body = ""] = [
    ["POST /items", "application/x-www-form-urlencoded", `name=${encoded}&qty=${text.length}`],
    ["POST /items", "application/x-www-form-urlencoded", `name=${encoded}&qty=${encoded}`],
    ["POST /api/items", "application/json", json],
    [`GET /items?limit=5&filter=${encoded}`],
    [`GET /session/a/${encodeURIComponent(text.replaceAll(/[/\\\p{Cc}]|^\.+$/gu, "-"))}`],
  ][kind] as readonly string[];
  const bytes = Buffer.from(body.toWellFormed());
  const more = body === "" ? "" : `Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${known}${more}\r\n${bytes.toString("latin1")}`;
}

/** Result of generated requests: counts by status, and the requests answered with 500 or without valid HTTP. */
export interface Tally {
  readonly statuses: ReadonlyMap<number, number>;
  readonly wrong: readonly string[];
}

/** Options of `bombard`. */
export interface BombardOptions {
  /** Number of connections at a time. */
  readonly width: number;
  /**
   * Timeout for the server to close a connection, in milliseconds. Default: that of `exchange`. Some requests are
   * incomplete: a connection with one of them stays open until this timeout, or until a limit of the server.
   */
  readonly timeoutMs?: number;
}

/** Sends generated requests, three per connection, on several connections at a time. */
export async function bombard(
  port: number,
  count: number,
  seed: number,
  { width, ...options }: BombardOptions,
): Promise<Tally> {
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const next = random(seed);
  const known = await credentials(port);
  const end = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  await pooled(Array.from({ length: Math.ceil(count / 3) }), width, async () => {
    const sent = Array.from({ length: 3 }, () => makeRequest(next, known)).join("");
    const got = await exchange(port, sent + end, options);
    for (const status of got.statuses) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // Unknown methods and versions of HTTP are refused by a status of their own (RFC 9110 §15.6.2, §15.6.6).
      if (status >= 500 && status !== 501 && status !== 505) wrong.push(`${status}: ${JSON.stringify(sent)}`);
    }
  });
  return { statuses, wrong };
}
