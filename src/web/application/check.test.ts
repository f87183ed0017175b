import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import type { Environment, Service } from "../../core/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Response } from "../../http/message/response.ts";
import { get } from "../../http/router/route.ts";
import { service } from "./service.ts";

beforeEach(() => Log.configure({ reporters: [] }));
afterEach(() => {
  LogInternals.reset();
  Configuration.reset();
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

test("a healthy server answers GET / with all security headers, including those of production", async () => {
  assert.deepEqual(await check({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }), [
    "ok: GET / answers 200, with all security headers",
  ]);
  assert.deepEqual(await check({ ...production, ALLOWED_HOSTS: "*.example.com", PREFIX_PATH: "/shop" }), [
    "ok: GET / answers 200, with all security headers",
  ]);
});

test("disabled checks and open settings are warnings", async () => {
  const [csrf] = await check({ FRAMEWORK_ENV: "test" });
  assert.equal(csrf, "warning: Forms are not checked for CSRF tokens");
  const [hosts] = await check(production);
  assert.equal(hosts, "warning: Requests for any host name are answered");
});

test("a failing start page and an unprotected address are problems", async () => {
  const broken = get("/", () => {
    throw new Error("broken");
  });
  assert.deepEqual(await check({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }, broken), ["problem: GET / answers 500"]);
  const environment = process.env["FRAMEWORK_ENV"] ?? "";
  process.env["FRAMEWORK_ENV"] = "";
  Configuration.reset();
  const [address] = await check({ HOST: "0.0.0.0" });
  process.env["FRAMEWORK_ENV"] = environment;
  assert.match(address ?? "", /^problem: HOST is "0\.0\.0\.0"/);
});
