// The development server in a browser: overlay, type errors, blocked content, pending migrations, and the page of a 404.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { limmatProject, startSession } from "../../src/development/development-session.test.ts";
import { waitFor } from "../../src/testing/index.ts";
import { root } from "../sources.ts";
import { accessibilityProblems } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";

const options = { skip: browserSkip };

let browser: Browser;
before(async () => {
  if (browserSkip === false) browser = await launch();
});
after(() => browser?.close());

/** Router with a page whose content is in `web/page.ts`. */
const pages = {
  ...limmatProject,
  "routes/routes.ts": `
import { Web } from "limmat";
import { html, unsafeHtml } from "limmat/html";
import { page } from "../web/page.ts";

const start = () =>
  Web.Response.html(html\`<!doctype html><html lang="en"><title>Start</title><link rel="icon" href="data:,">
<main><h1>Start</h1>\${unsafeHtml(page)}</main></html>\`);
export const router = Web.choose([Web.get("/", start), Web.get("/todos/:id", () => Web.Response.text("the todo"))]);
`,
};

async function inPage(body: (page: Page) => Promise<void>): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 900, height: 700 } });
    try {
      await body(await context.newPage());
    } finally {
      await context.close();
    }
  }
}

test("shows an error over the page with the words of the terminal, until it is corrected", options, async () => {
  await using project = await startSession(pages);
  await inPage(async (page) => {
    await page.goto(project.url);
    project.write("web/page.ts", "export const pagee: string = '';\n");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    const lines = (await alert.locator("pre span").allTextContents()).join("\n");
    assert.match(
      lines,
      /^web\/page\.ts has no export named "page"\.\n {2}at routes\/routes\.ts:4:10\n[^]*Did you mean/,
    );
    assert.ok(project.stderr().includes(lines), project.stderr());
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Hide" }).click();
    assert.equal(await alert.count(), 0);
    project.write("web/page.ts", "export const pages: string = '';\n");
    await alert.waitFor();
    project.write("web/page.ts", "export const page: string = '<p>Corrected</p>';\n");
    await page.getByText("Corrected").waitFor();
    assert.equal(await alert.count(), 0);
    project.write("web/page.ts", "export const page: string = '';\n");
    await page.getByText("Corrected").waitFor({ state: "detached" });
  });
});

test("shows the error instead of the page while no version runs", options, async () => {
  await using project = await startSession({ ...pages, "web/page.ts": "export enum page {}\n" });
  await inPage(async (page) => {
    await page.goto(project.url);
    await page.getByText("Hint: Use a union of texts").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});

test("shows type errors in a corner, without covering the page", options, async () => {
  await using project = await startSession(
    {
      ...pages,
      "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] }, include: ["web"] }),
    },
    { checksTypes: true },
  );
  symlinkSync(join(root, "node_modules/typescript"), join(project.root, "node_modules/typescript"));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(project.url);
  project.write("web/page.ts", "export const page: number = '<p>Runs</p>';\n");
  // The code frame of the type error also contains this text.
  await page.getByText("Runs", { exact: true }).waitFor();
  await page.getByText("1 type error").click();
  await page.getByText("web/page.ts:1:14 TS2322").waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await context.close();
});

test("prints what the browser has blocked, and says nothing about its own script", options, async (t) => {
  await using project = await startSession({
    ...pages,
    "web/page.ts": `export const page: string = '<script>document.title = "run"</script><p style="color: red">Red</p>';\n`,
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(project.url);
  const policyLines = (): readonly string[] => project.printed.filter((line) => line.startsWith("Content-Security"));
  await waitFor(() => policyLines().length >= 2, t);
  assert.deepEqual(
    policyLines()
      .map((line) => /: (\S+ blocked .+?) on \//.exec(line)?.[1] ?? "")
      .toSorted(),
    ["script-src-elem blocked an inline <script>", "style-src-attr blocked a style attribute"],
  );
  assert.equal(await page.title(), "Start");
  await context.close();
});

test("migrates by the button of the page, and returns to the page", options, async () => {
  await using project = await startSession({
    ...pages,
    "service/service.ts": `
import { Migration } from "limmat";
import { sqlite } from "limmat/database/sqlite";
const database = sqlite({ url: "dev.sqlite" });
const notes = Migration.make("notes", [Migration.step("create table notes", "create table notes (title text)")]);
export const services = [database, Migration.service({ database, migrations: [notes] })];
`,
  });
  const context = await browser.newContext({ colorScheme: "dark" });
  const page = await context.newPage();
  await page.goto(`${project.url}/todos/7`);
  await page.getByText('notes 1 "create table notes"').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole("button", { name: "Migrate" }).click();
  await page.getByText("the todo").waitFor();
  assert.equal(page.url(), `${project.url}/todos/7`);
  await context.close();
});

test("leads from a 404 to the nearest route", options, async () => {
  await using project = await startSession(pages);
  await inPage(async (page) => {
    await page.goto(`${project.url}/todo/7`);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("link", { name: "/todos/:id" }).click();
    await page.getByText("the todo").waitFor();
  });
});
