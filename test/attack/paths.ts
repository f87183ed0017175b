// Generated paths, sent byte by byte. Guard, router and static files must parse each in the same way.
import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Configuration, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { random } from "./generated.ts";
import { exchange, isNet, pooled, type WireAnswer } from "./wire.ts";

/** Numbers of requested paths, by result. */
export interface Agreement {
  readonly asked: number;
  readonly refused: number;
  /** Answered by a handler. */
  readonly answered: number;
  /** Answered by the static files. */
  readonly served: number;
}

const names = [
  ..."files guarded open.txt sub a b A item index.html %66iles guarde%64 open%2etxt o%70en.txt a%20b %C3%BC a;b=c :a *".split(
    " ",
  ),
  ...".. . %2e %2E%2e .%2e ... %2f a%2Fb %5c \\ %00 a%00 %0d%0a %7f % %zz %f %ff %c0%af %ed%a0%80 %252e%252e %25 a..b ..; ~ -".split(
    " ",
  ),
];
const sound = names.slice(0, 17);
const characters = Array.from("ab/.%25fFcC\\;:?#&=+ ~@\0\t\x7f\x80\xff");

/** Generates a request target; most are valid. */
export function makePath(next: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const pool = next() < 0.7 ? sound : names;
  const segments = Array.from({ length: Math.floor(next() * 5) }, () => pick(pool));
  let path = `/${pick(["", "files/", "guarded/", "files/sub/"])}${segments.join("/")}`;
  if (next() < 0.1) path += "/";
  if (next() < 0.1) path += `?${pick(["", "a=b", "a=%2e%2e/", "x=%zz", "/../"])}`;
  if (next() < 0.15) {
    const at = Math.floor(next() * path.length);
    path = path.slice(0, at) + pick(characters) + path.slice(at + (next() < 0.5 ? 1 : 0));
  }
  return path.startsWith("/") ? path : `/${path}`;
}

/**
 * Parses a target with an independent, simple implementation: its path, decoded once, or `undefined` when two parsers
 * could read it differently.
 */
export function plainReading(line: string): string | undefined {
  // Spaces before the version are part of the request line, not of the target (RFC 9112 §3). `node:http` allows several.
  const target = isNet ? line : line.replace(/ +$/, "");
  if (/[^\x21-\x7e]|#/.test(target)) return undefined;
  const queryAt = target.indexOf("?");
  const [raw, query] = queryAt === -1 ? [target, ""] : [target.slice(0, queryAt), target.slice(queryAt + 1)];
  const segments = raw.split("/").slice(1);
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  try {
    decodeURIComponent(query);
    const decoded = segments.map(decodeURIComponent);
    const isOdd = (segment: string): boolean => /^(?:|\.|\.\.)$|[/\\\p{Cc}]/u.test(segment);
    if (raw.includes("\\") || (raw !== "/" && decoded.some(isOdd))) return undefined;
    return `/${decoded.join("/")}`;
  } catch {
    return undefined;
  }
}

/** Requests generated paths. Fails at the first that guard, router or static files parse differently. */
export async function agree(count: number, seed: number): Promise<Agreement> {
  const root = mkdtempSync(join(tmpdir(), "limmat-paths-"));
  const files = ["/files/open.txt", "/files/sub/open.txt", "/files/guarded/a", "/files/a b"];
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), `file ${file}`);
  }
  const guard: Web.Middleware = (handler) => (request) =>
    Web.mapResponse(handler(request), (response) => response.withHeader("x-guard", encodeURIComponent(request.path)));
  const tell: Web.Handler = (request) => Web.Response.text(`route ${request.path}`);
  const http = Web.Http.service({
    router: Web.choose([Web.get("/", tell), Web.get("/*rest", tell)]),
    middlewares: [guard, Web.Middleware.staticFile({ directory: join(root, "files"), prefix: "/files" })],
    // On a busy machine no request is shed.
    limits: { maxEventLoopDelayMs: 0 },
  });
  const app = App.create({ services: [http], reporters: [] });
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["HOST", "127.0.0.1"],
    ["PORT", "0"],
    ["PUBLIC_DIR", "/nonexistent"],
  ]);
  await app.start();
  try {
    const port = http.address()?.port ?? 0;
    const next = random(seed);
    const targets = Array.from({ length: count }, () => makePath(next));
    const outcomes = (await pooled(inBatches(targets, 100), 8, (batch) => askAll(port, batch))).flat();
    const refused = outcomes.filter((answer) => answer.status === 400).length;
    let served = 0;
    for (const [at, target] of targets.entries()) {
      const { status, header, body } = outcomes[at] as WireAnswer;
      const path = plainReading(target);
      const told = `${JSON.stringify(target)} (seed ${seed}): ${status} ${body.slice(0, 80)}`;
      if (path === undefined) {
        assert.equal(status, 400, told);
        assert.equal(header("x-guard"), undefined, told);
        continue;
      }
      // A slash at the end names no file.
      const isFile = files.includes(path) && !/^[^?]*\/(?:\?|$)/.test(target);
      assert.equal(status, 200, told);
      assert.equal(decodeURIComponent(header("x-guard") ?? ""), path, told);
      assert.equal(Buffer.from(body, "latin1").toString(), `${isFile ? "file" : "route"} ${path}`, told);
      if (isFile) served++;
    }
    return { asked: count, refused, served, answered: count - refused - served };
  } finally {
    await app.stop();
    ConfigurationInternals.reset();
    LogInternals.reset();
    rmSync(root, { recursive: true });
  }
}

function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Requests targets in series. After a refused one, whose connection was closed, it opens another connection. */
async function askAll(port: number, targets: readonly string[]): Promise<WireAnswer[]> {
  const answers: WireAnswer[] = [];
  const end = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  while (answers.length < targets.length) {
    // Up to the first target that will be refused, because later ones on the connection are not answered.
    const rest = targets.slice(answers.length);
    const length = rest.findIndex((target) => plainReading(target) === undefined) + 1 || rest.length;
    const sent = rest.slice(0, length).map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const got = await exchange(port, sent.join("") + end);
    assert.ok(got.answers.length > 0, JSON.stringify(rest[0]));
    answers.push(...got.answers.slice(0, length));
  }
  return answers;
}
