import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import type { Environment, Service } from "../../core/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Response } from "../../http/message/response.ts";
import type { Middleware } from "../../http/router/handler.ts";
import { choose, del, get, post } from "../../http/router/route.ts";
import { securityHeaders } from "../middleware/security-headers.ts";
import { openFileFindings } from "./check.ts";
import { service } from "./service.ts";

beforeEach(() => Log.configure({ reporters: [] }));
afterEach(() => {
  LogInternals.reset();
  ConfigurationInternals.reset();
});

const healthy = get("/", () => Response.text("hello"));

async function check(settings: Record<string, string>, router = healthy): Promise<string[]> {
  Configuration.store(Object.entries(settings));
  const environment = settings["FRAMEWORK_ENV"] as Environment;
  const found: readonly Service.Finding[] = (await service({ router }).check?.({ environment })) ?? [];
  return found.map(({ level, message }) => `${level}: ${message}`);
}

const production = {
  FRAMEWORK_ENV: "production",
  FRAMEWORK_SECRET: "a-secret-of-32-bytes-at-the-least-0123456789",
};

const behindProxy = { ...production, TRUSTED_PROXIES: "127.0.0.1" };

test("a healthy server answers GET / with all security headers, including those of production", async () => {
  assert.deepEqual(await check({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }), [
    "ok: GET / answers 200, with all security headers",
  ]);
  assert.deepEqual(await check({ ...behindProxy, ALLOWED_HOSTS: "*.example.com", PREFIX_PATH: "/shop" }), [
    "ok: GET / answers 200, with all security headers",
    "ok: Strict-Transport-Security covers this host only, not its subdomains",
  ]);
});

test("routes that change something, and have neither a guard nor a policy, are named", async () => {
  const answer = (): Response => Response.text("");
  const requireUser: Middleware = (handler) => handler;
  const router = choose([
    healthy,
    get("/todos", answer),
    post("/todos", answer),
    del("/todos/:id", answer),
    post("/login", answer, { guard: "open" }),
    post("/notes", answer, { middlewares: [requireUser] }),
  ]);
  const [finding] = await check({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }, router);
  assert.equal(finding, "ok: Everybody may use 2 routes that change something: POST /todos, DELETE /todos/:id");
});

test("the front page is not requested if another service has failed", async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["CHECK_CSRF", "true"],
  ]);
  const failedServices = ["database"];
  assert.deepEqual(await service({ router: healthy }).check?.({ environment: "test", failedServices }), [
    {
      level: "warning",
      message: "GET / was not requested, because these services have problems: database",
      advice: "Solve them and run doctor again.",
    },
  ]);
});

test("a site in production is asked whether all subdomains support https", async () => {
  const router = choose([healthy], { middlewares: [securityHeaders({ includeSubDomains: true })] });
  const covered = await check({ ...behindProxy, ALLOWED_HOSTS: "example.com" }, router);
  assert.deepEqual(covered, ["ok: GET / answers 200, with all security headers"]);
});

test("disabled checks and open settings are warnings", async () => {
  const [csrf] = await check({ FRAMEWORK_ENV: "test" });
  assert.equal(csrf, "warning: Forms are not checked for CSRF tokens");
  const [hosts, proxies] = await check(production);
  assert.equal(hosts, "warning: Requests for any host name are answered");
  assert.match(proxies ?? "", /^warning: No proxy is trusted/);
  for (const settings of [behindProxy, { ...production, TLS_CERT: "cert.pem", TLS_KEY: "key.pem" }])
    assert.ok(!(await check(settings)).some((finding) => /proxy/.test(finding)));
});

test("browser code without a build is a warning in production", async (context) => {
  const root = mkdtempSync(join(tmpdir(), "limmat-check-"));
  context.after(() => rmSync(root, { recursive: true }));
  for (const folder of ["resources/parts", "public/built"]) mkdirSync(join(root, folder), { recursive: true });
  for (const source of ["site.ts", "site.test.ts", "assets.d.ts", "icon.svg", "app.css", "parts/part.ts"])
    writeFileSync(join(root, "resources", source), "");
  const findings = async (settings: Record<string, string>): Promise<string[]> => {
    ConfigurationInternals.setProjectRoot(root);
    return (await check(settings)).filter((finding) => finding.includes("asset"));
  };
  assert.deepEqual(await findings({ FRAMEWORK_ENV: "test" }), []);
  const warning = "warning: Pages that link an asset without a build fail: ";
  assert.deepEqual(await findings(behindProxy), [`${warning}resources/app.css, resources/site.ts`]);
  writeFileSync(join(root, "public/built/.manifest.json"), '{"app.css":"app-KWJ46ML7.css"}');
  assert.deepEqual(await findings(behindProxy), [`${warning}resources/site.ts`]);
  writeFileSync(join(root, "public/site.js"), "");
  assert.deepEqual(await findings(behindProxy), []);
});

test("a low limit of open files is a warning", () => {
  const [finding] = openFileFindings(1024);
  assert.match(finding?.message ?? "", /^At most 1024 files/);
  for (const limit of [4096, undefined]) assert.deepEqual(openFileFindings(limit), []);
});

test("a failing start page and an unprotected address are problems", async () => {
  const broken = get("/", () => {
    throw new Error("broken");
  });
  assert.deepEqual(await check({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }, broken), ["problem: GET / answers 500"]);
  const environment = process.env["FRAMEWORK_ENV"] ?? "";
  process.env["FRAMEWORK_ENV"] = "";
  ConfigurationInternals.reset();
  const [address] = await check({ HOST: "0.0.0.0" });
  process.env["FRAMEWORK_ENV"] = environment;
  assert.match(address ?? "", /^problem: HOST is "0\.0\.0\.0"/);
});
