import assert from "node:assert/strict";
import type { Browser, Locator, Page } from "playwright-core";
import { waitFor } from "limmat/testing";
import type { RunningExample } from "./example.ts";

/** Runs a test in a new page with the width of a phone. Fails if the page requests another host or reports an error. */
export async function runInPage(
  browser: Browser,
  example: Pick<RunningExample, "url">,
  body: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ baseURL: example.url, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const foreignUrls: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(example.url)) foreignUrls.push(request.url());
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
  assert.deepEqual(foreignUrls, []);
  assert.deepEqual(problems, []);
}

/** Loads a page until it contains an element. */
export async function loadUntilShown(page: Page, url: string, element: Locator, signal?: AbortSignal): Promise<void> {
  const isShown = async (): Promise<boolean> => {
    await page.goto(url);
    return (await element.count()) > 0;
  };
  await waitFor(isShown, { timeoutMs: 300_000, ...(signal && { signal }) });
}
