import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { waitFor } from "../testing/index.ts";
import type { BrowserEvent } from "./browser-client.ts";
import {
  type DevelopmentSession,
  isFailure,
  isReload,
  startSession as startProject,
} from "./development-session.test.ts";

const server = `
import { createServer } from "node:http";
import { page } from "../app/page.ts";
const server = createServer((request, response) => {
  if (request.url === "/crash") process.exit(3);
  response.appendHeader("set-cookie", "a=1");
  response.appendHeader("set-cookie", "b=2");
  response.setHeader("content-type", request.url === "/data" ? "application/json" : "text/html; charset=utf-8");
  if (request.url === "/strict") {
    response.setHeader("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
    response.setHeader("content-security-policy-report-only", "default-src 'self'; report-to csp");
  }
  response.setHeader("etag", '"1"');
  response.end(page);
});
server.on("upgrade", (request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\\r\\n\\r\\nhello"));
server.listen(Number(process.env.PORT), "127.0.0.1");
`;

const startSession = (page: string): Promise<DevelopmentSession> =>
  startProject({ "public/app.css": "a {}", "app/page.ts": page, "run/run.ts": server });

test("serves a changed version and notifies browsers when it runs", async () => {
  await using project = await startSession('export const page: string = "one";');
  assert.equal((await project.get()).body, "one");
  project.write("app/page.ts", 'export const page: string = "two";');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});

test("keeps the previous version and reports the error if a new one fails to start", async () => {
  await using project = await startSession('export const page = "good";');
  assert.equal((await project.get()).body, "good");
  project.write("app/page.ts", "export const page = ;");
  const failure = await project.nextEvent(isFailure);
  assert.match(JSON.stringify(failure), /page\.ts/);
  assert.match(project.stderr(), /SyntaxError/);
  assert.doesNotMatch(project.stderr(), /node:internal/);
  assert.equal((await project.get()).body, "good");
  project.write("app/page.ts", 'export const page = "better";');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "better");
});

test("shows the error while no version runs, and restarts when a missing file appears", async () => {
  await using project = await startSession('export { page } from "./missing.ts";');
  const { status, body } = await project.get();
  assert.equal(status, 500);
  assert.match(body, /missing\.ts/);
  assert.match(body, /src="\/__limmat\/client\.js"/);
  project.write("app/missing.ts", 'export const page = "found";');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "found");
});

test("reports an application that exits, and restarts it on the next change", async () => {
  await using project = await startSession('export const page = "one";');
  const { status, body } = await project.get("/crash");
  assert.equal(status, 500);
  assert.match(body, /The application has exited with code 3, without an error message\./);
  await project.nextEvent(isFailure);
  assert.equal((await project.get()).status, 500);
  project.write("app/page.ts", 'export const page = "two";');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});

test("sets FRAMEWORK_ENV of the application to development", async () => {
  await using project = await startSession("export const page = String(process.env.FRAMEWORK_ENV);");
  assert.equal((await project.get()).body, process.env["FRAMEWORK_ENV"] ?? "development");
});

test("refuses other hosts: events, script, pages, failures and upgrades (DNS rebinding)", async () => {
  await using project = await startSession("export const page = String(process.env.DEVELOPMENT_HOST);");
  const { port } = new URL(project.url);
  const ask = async (host: string, path: string, headers = ""): Promise<string> => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers || "Connection: close\r\n"}\r\n`);
    return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  };
  for (const host of ["evil.test", `evil.test:${port}`, "localhost.evil.test", "", "127.0.0.1.evil.test"]) {
    for (const path of ["/__limmat/events", "/__limmat/client.js", "/"]) {
      const answer = await ask(host, path);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /ALLOWED_HOSTS/);
    }
    assert.equal(await ask(host, "/socket", "Connection: Upgrade\r\nUpgrade: test\r\n"), "");
  }
  for (const host of ["localhost", `LOCALHOST:${port}`, "app.localhost", "127.0.0.1", "[::1]"])
    assert.match(await ask(host, "/"), /^HTTP\/1\.1 200 [^]*127\.0\.0\.1/);
});

test("answers its own paths to pages of the same origin only", async () => {
  await using project = await startSession('export const page = "one";');
  project.write("resources/site.css", "a { color: red }");
  await project.nextEvent(({ kind }) => kind === "styles");
  const report = JSON.stringify({
    "csp-report": {
      "document-uri": `${project.url}/checkout`,
      "effective-directive": "script-src",
      "blocked-uri": "https://cdn.evil.test/pay.js",
    },
  });
  const paths = ["client.js", "events", "assets/site.css", "assets/none.css", "other"];
  for (const headers of [
    { origin: "https://evil.test", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://localhost:1" },
    { origin: "null" },
  ]) {
    for (const path of paths) assert.equal((await project.get(`/__limmat/${path}`, headers)).status, 403, path);
    for (const path of ["policy-reports", "migrate"])
      assert.equal((await project.post(`/__limmat/${path}`, report, headers)).status, 403, path);
    assert.equal((await project.get("/", headers)).status, 200);
  }
  assert.doesNotMatch(project.printed.join("\n"), /evil\.test/);
  const { host } = new URL(project.url);
  for (const headers of [
    { "sec-fetch-site": "none" },
    { origin: `http://${host}`, "sec-fetch-site": "same-origin" },
    { origin: "null", "sec-fetch-site": "same-origin" },
    // Behind a proxy with TLS.
    { origin: `https://${host}` },
  ]) {
    assert.equal((await project.get("/__limmat/assets/site.css", headers)).status, 200);
    assert.equal((await project.post("/__limmat/policy-reports", report, headers)).status, 204);
  }
  assert.match(project.printed.join("\n"), /evil\.test/);
});

test("passes the public port to the application in DEVELOPMENT_PORT", async () => {
  const text = "String(process.env.DEVELOPMENT_PORT)";
  await using project = await startSession(`export const page = ${text};`);
  const { port } = new URL(project.url);
  assert.equal((await project.get()).body, port);
  project.write("app/page.ts", `export const page = "after a restart " + ${text};`);
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, `after a restart ${port}`);
});

test("replaces style sheets without a reload, and reloads the page for other static files", async () => {
  await using project = await startSession('export const page = "one";');
  project.write("public/app.css", "a { color: red }");
  assert.deepEqual(await project.nextEvent(({ kind }) => kind !== "failure"), { kind: "styles" });
  project.write("public/icon.svg", "<svg/>");
  assert.deepEqual(await project.nextEvent(({ kind }) => kind !== "failure"), { kind: "reload" });
});

test("bundles the sources in resources, with source maps, and reports their errors", async () => {
  await using project = await startSession("export const page = String(process.env.DEVELOPMENT_ASSETS);");
  const asset = async (name: string): Promise<{ status: number; body: string }> =>
    await project.get(`${(await project.get()).body}/${name}`);
  const nextFailure = (text: RegExp): Promise<BrowserEvent> =>
    project.nextEvent((event) => isFailure(event) && text.test(JSON.stringify(event)));
  const nextChange = (): Promise<BrowserEvent> => project.nextEvent((event) => !isFailure(event));
  assert.equal((await asset("site.js")).status, 404);
  project.write("resources/site.ts", 'import { text } from "./parts/text.ts";\nconsole.log(text);');
  await nextFailure(/resources\/site\.ts[^]*text\.ts/);
  assert.match(project.stderr(), /Could not resolve/);
  project.write("resources/parts/text.ts", 'export { text } from "../../shared/text.ts";');
  await nextFailure(/shared\/text\.ts/);
  project.write("shared/text.ts", "export const text: string = `one`;");
  assert.deepEqual(await nextChange(), { kind: "reload" });
  const first = await asset("site.js?v=1");
  assert.match(first.body, /`one`[^]*sourceMappingURL=site\.js\.map/);
  assert.match((await asset("site.js.map")).body, /shared\/text\.ts/);
  project.write("resources/ü.css", "b {}");
  assert.deepEqual(await nextChange(), { kind: "styles" });
  assert.match((await asset("%C3%BC.css")).body, /^b/m);
  assert.equal((await asset("%C3%.css")).status, 404);
  project.write("resources/site.css", "a { color: red }");
  assert.deepEqual(await nextChange(), { kind: "styles" });
  project.write("resources/site.css", "a { color: blue }");
  assert.deepEqual(await nextChange(), { kind: "styles" });
  assert.match((await asset("site.css")).body, /blue/);
  project.write("shared/text.ts", "export const text: string = ;");
  await nextFailure(/text\.ts:1/);
  assert.equal((await asset("site.js")).body, first.body);
  project.write("shared/text.ts", "export const text: string = `one`;");
  assert.deepEqual(await nextChange(), { kind: "reload" });
});

test("bundles a style sheet into that of its script as soon as the script imports it", async () => {
  await using project = await startSession("export const page = String(process.env.DEVELOPMENT_ASSETS);");
  const styles = async (): Promise<string> => (await project.get(`${(await project.get()).body}/site.css`)).body;
  const nextChange = (): Promise<BrowserEvent> => project.nextEvent((event) => !isFailure(event));
  project.write("resources/site.css", "a { color: red }");
  await nextChange();
  project.write("resources/site.ts", "console.log(1);");
  await nextChange();
  assert.match(await styles(), /red/);
  project.write("resources/parts/base.css", "p { margin: 0 }");
  project.write("resources/site.ts", 'import "./parts/base.css";\nimport "./site.css";');
  await nextChange();
  assert.match(await styles(), /margin[^]*red/);
  project.write("resources/site.ts", "console.log(2);");
  await nextChange();
  assert.match(await styles(), /^(?![^]*margin)[^]*red/);
});

test("appends the script to pages and forwards other responses unchanged", async () => {
  await using project = await startSession('export const page = "<p>one</p>";');
  const page = await project.get("/", { "sec-fetch-dest": "document" });
  assert.match(page.body, /^<p>one<\/p><script src="\/__limmat\/client\.js" defer><\/script>/);
  assert.equal(page.headers.get("etag"), null);
  assert.match((await project.get("/__limmat/client.js")).body, /EventSource/);
  for (const [path, headers] of [
    ["/", {}],
    ["/data", { "sec-fetch-dest": "document" }],
  ] as const) {
    const response = await project.get(path, headers);
    assert.equal(response.body, "<p>one</p>");
    assert.equal(response.headers.get("etag"), '"1"');
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  }
});

test("extends the content security policy of pages by the development script only", async () => {
  await using project = await startSession('export const page = "<p>one</p>";');
  const { body, headers } = await project.get("/strict", { "sec-fetch-dest": "document" });
  assert.match(body, /client\.js/);
  assert.equal(
    headers.get("content-security-policy"),
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; " +
      "report-uri /__limmat/policy-reports",
  );
  assert.equal(
    headers.get("content-security-policy-report-only"),
    "default-src 'self'; report-uri /__limmat/policy-reports",
  );
  const other = await project.get("/strict");
  assert.equal(other.headers.get("content-security-policy"), "default-src 'none'; style-src 'unsafe-inline'");
});

test("logs requests without their query, and omits resources loaded by pages", async (t) => {
  await using project = await startSession('export const page = "one";');
  await project.get("/app.css", { "sec-fetch-dest": "style" });
  // Requests are logged while the application runs. The page of an application that has exited contains the reason.
  const { status, body } = await project.get("/list?token=secret");
  assert.deepEqual([status, body], [200, "one"]);
  const answers = (): readonly string[] => project.printed.filter((line) => line.includes("/list"));
  await waitFor(() => answers().length > 0, t);
  assert.match(answers().join(), /^GET \/list 200 in \d+ ms$/);
  assert.ok(!project.printed.some((line) => line.includes("app.css")));
});

test("tunnels upgraded connections", async () => {
  await using project = await startSession('export const page = "one";');
  const { hostname, port } = new URL(project.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /socket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n`);
  const answer = await Array.fromAsync(socket as AsyncIterable<Buffer>);
  assert.match(Buffer.concat(answer).toString(), /^HTTP\/1\.1 101 [^]*hello$/);
});
