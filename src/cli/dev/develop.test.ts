import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Configuration } from "../../config/index.ts";
import type { News } from "./client.ts";
import { develop } from "./develop.ts";

const server = `
import { createServer } from "node:http";
import { page } from "../app/page.ts";
const server = createServer((request, response) => {
  if (request.url === "/crash") process.exit(3);
  response.appendHeader("set-cookie", "a=1");
  response.appendHeader("set-cookie", "b=2");
  response.setHeader("content-type", request.url === "/data" ? "application/json" : "text/html; charset=utf-8");
  if (request.url === "/strict")
    response.setHeader("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.setHeader("etag", '"1"');
  response.end(page);
});
server.on("upgrade", (request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\\r\\n\\r\\nhello"));
server.listen(Number(process.env.PORT), "127.0.0.1");
`;

/** A project that is being developed. */
interface Session extends AsyncDisposable {
  readonly url: string;
  readonly errors: () => string;
  readonly said: readonly string[];
  write(path: string, text: string): void;
  get(path?: string, headers?: Record<string, string>): Promise<{ status: number; body: string; headers: Headers }>;
  /** The next news of a kind; those before are passed over. */
  next(isMeant: (news: News) => boolean): Promise<News>;
}

async function session(page: string): Promise<Session> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "limmat-dev-")));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package.json", '{ "type": "module" }');
  write("public/app.css", "a {}");
  write("app/page.ts", page);
  write("run/run.ts", server);
  Configuration.store([["PORT", "0"]]);

  const control = new AbortController();
  let errors = "";
  const ready = Promise.withResolvers<number>();
  const said: string[] = [];
  const ended = develop(root, {
    say: (line) => said.push(stripVTControlCharacters(line)),
    onError: (text) => (errors += text),
    signal: control.signal,
    onReady: ready.resolve,
  });
  const url = `http://127.0.0.1:${await ready.promise}`;
  // The first version is there, or is known to fail: what is told from here on is of later ones.
  await (await fetch(url)).text();
  const news = read(await fetch(`${url}/__limmat/events`, { signal: control.signal }));
  return {
    url,
    errors: () => errors,
    said,
    write,
    get: async (path = "/", headers = {}) => {
      const response = await fetch(url + path, { headers });
      return { status: response.status, body: await response.text(), headers: response.headers };
    },
    next: async (isMeant) => {
      for (;;) {
        const { value, done } = await news.next();
        if (done === true) throw new Error("The news have ended");
        if (isMeant(value)) return value;
      }
    },
    [Symbol.asyncDispose]: async () => {
      control.abort();
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function* read(response: Response): AsyncGenerator<News> {
  let buffer = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (buffer + chunk).split("\n\n");
    buffer = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part.replace(/^data: /, "")) as News;
  }
}

const isReload = (news: News): boolean => news.kind === "reload";
const isFailure = (news: News): boolean => news.kind === "failure" && news.reason !== undefined;

test("a change is served once it runs, and browsers are told", { timeout: 60_000 }, async () => {
  await using project = await session('export const page: string = "one";');
  assert.equal((await project.get()).body, "one");
  project.write("app/page.ts", 'export const page: string = "two";');
  await project.next(isReload);
  assert.equal((await project.get()).body, "two");
});

test("a version that does not start leaves the one before in place, and says why", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "good";');
  assert.equal((await project.get()).body, "good");
  project.write("app/page.ts", "export const page = ;");
  const failure = await project.next(isFailure);
  assert.match(JSON.stringify(failure), /page\.ts/);
  assert.match(project.errors(), /SyntaxError/);
  assert.equal((await project.get()).body, "good");
  project.write("app/page.ts", 'export const page = "better";');
  await project.next(isReload);
  assert.equal((await project.get()).body, "better");
});

test("while nothing runs, the page says why, and a file that was missing helps", { timeout: 60_000 }, async () => {
  await using project = await session('export { page } from "./missing.ts";');
  const { status, body } = await project.get();
  assert.equal(status, 500);
  assert.match(body, /missing\.ts/);
  assert.match(body, /src="\/__limmat\/client\.js"/);
  project.write("app/missing.ts", 'export const page = "found";');
  await project.next(isReload);
  assert.equal((await project.get()).body, "found");
});

test("an application that ends shows as such, and the next change starts it again", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "one";');
  await project.get("/crash");
  await project.next(isFailure);
  assert.equal((await project.get()).status, 500);
  project.write("app/page.ts", 'export const page = "two";');
  await project.next(isReload);
  assert.equal((await project.get()).body, "two");
});

test("the application knows that it is being developed", async () => {
  await using project = await session("export const page = String(process.env.FRAMEWORK_ENV);");
  assert.equal((await project.get()).body, process.env["FRAMEWORK_ENV"] ?? "development");
});

test("the application knows the port that browsers come to, for links in mails", async () => {
  const text = "String(process.env.DEVELOPMENT_PORT)";
  await using project = await session(`export const page = ${text};`);
  const { port } = new URL(project.url);
  assert.equal((await project.get()).body, port);
  project.write("app/page.ts", `export const page = "after a restart " + ${text};`);
  await project.next(isReload);
  assert.equal((await project.get()).body, `after a restart ${port}`);
});

test("style sheets are swapped without a restart, other static files reload", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "one";');
  project.write("public/app.css", "a { color: red }");
  assert.deepEqual(await project.next(({ kind }) => kind !== "failure"), { kind: "styles" });
  project.write("public/icon.svg", "<svg/>");
  assert.deepEqual(await project.next(({ kind }) => kind !== "failure"), { kind: "reload" });
});

test("pages get the script, all else passes as it is", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "<p>one</p>";');
  const page = await project.get("/", { "sec-fetch-dest": "document" });
  assert.match(page.body, /^<p>one<\/p><script src="\/__limmat\/client\.js" defer><\/script>/);
  assert.equal(page.headers.get("etag"), null);
  assert.match((await project.get("/__limmat/client.js")).body, /EventSource/);
  for (const [path, headers] of [
    ["/", {}],
    ["/data", { "sec-fetch-dest": "document" }],
  ] as const) {
    const answer = await project.get(path, headers);
    assert.equal(answer.body, "<p>one</p>");
    assert.equal(answer.headers.get("etag"), '"1"');
    assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  }
});

test(
  "a page that lets in no script lets in that of the development server, and no other",
  { timeout: 60_000 },
  async () => {
    await using project = await session('export const page = "<p>one</p>";');
    const { body, headers } = await project.get("/strict", { "sec-fetch-dest": "document" });
    assert.match(body, /client\.js/);
    assert.equal(
      headers.get("content-security-policy"),
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'",
    );
    const other = await project.get("/strict");
    assert.equal(other.headers.get("content-security-policy"), "default-src 'none'; style-src 'unsafe-inline'");
  },
);

test("the terminal says how each request was answered, but not what pages load", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "one";');
  await project.get("/app.css", { "sec-fetch-dest": "style" });
  await project.get("/list?token=secret");
  const answers = (): readonly string[] => project.said.filter((line) => line.includes("/list"));
  while (answers().length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(answers().join(), /^GET \/list 200 in \d+ ms$/);
  assert.ok(!project.said.some((line) => line.includes("app.css")));
});

test("connections that are upgraded pass through", { timeout: 60_000 }, async () => {
  await using project = await session('export const page = "one";');
  const { hostname, port } = new URL(project.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /socket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n`);
  const answer = await Array.fromAsync(socket as AsyncIterable<Buffer>);
  assert.match(Buffer.concat(answer).toString(), /^HTTP\/1\.1 101 [^]*hello$/);
});
