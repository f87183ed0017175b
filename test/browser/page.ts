import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Example } from "./example.ts";

/** Runs a test in a page of its own, as wide as a phone, and fails it if the page asked another host or reported an error. */
export async function inPage(browser: Browser, example: Example, body: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ baseURL: example.url, viewport: { width: 390, height: 800 } });
  // A page may take long on a machine that has little time.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const foreign: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(example.url)) foreign.push(request.url());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  try {
    await body(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(foreign, []);
  assert.deepEqual(problems, []);
}
