import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";

const source = resolve(import.meta.dirname, "..");

/** Answers a request without a route in a process of its own, and returns the loaded files of the framework. */
function loadedFiles(environment: string): readonly string[] {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    const { App, Web } = await import(${JSON.stringify(`${source}/index.ts`)});
    const http = Web.Http.service({ router: Web.choose([Web.get("/todos", () => Web.Response.text("todos"))]) });
    const { status } = await App.create({ services: [http] }).request("/todo");
    console.log(JSON.stringify({ status, urls }));`;
  const env = { ...process.env, FRAMEWORK_ENV: environment, FRAMEWORK_SECRET: "x".repeat(43) };
  const output = execFileSync(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module", "--eval", program],
    { env, encoding: "utf8" },
  );
  const { status, urls } = JSON.parse(output) as { readonly status: number; readonly urls: readonly string[] };
  assert.equal(status, 404);
  return urls;
}

test("loads no file of the development server and of its pages in production", () => {
  const isForDevelopment = (url: string): boolean =>
    /\/src\/development\/|\/development-page\/|\/core\/stack\.ts/.test(url);
  assert.ok(loadedFiles("development").some(isForDevelopment));
  assert.deepEqual(loadedFiles("production").filter(isForDevelopment), []);
});
