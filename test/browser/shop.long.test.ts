import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startExample } from "./example.ts";
import { loadUntilShown, runInPage } from "./page.ts";

const options = { skip: browserSkip };
let browser: Browser;
let example: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  example = await startExample("shop", undefined, ["migrate", "seed"]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await example?.[Symbol.asyncDispose]();
});

const withPage = (body: (page: Page) => Promise<void>): Promise<void> => runInPage(browser, example, body);

async function register(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/register");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Repeat").fill(password);
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("status").waitFor();
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Opens an e-mail of the inbox when the queue has delivered it. */
async function openMail(page: Page, subject: string, { signal }: TestContext): Promise<void> {
  const link = page.getByRole("link", { name: subject });
  await loadUntilShown(page, "/mails", link, signal);
  await link.first().click();
}

/** Fails if a page is wider than the window. */
async function assertFits(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as number[];
  assert.equal(content, window, page.url());
}

/** Returns the right end of the content of the first element that matches a selector, in pixels. */
const contentEnd = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`{
    const element = document.querySelector("${selector}");
    element.getBoundingClientRect().right - parseFloat(getComputedStyle(element).paddingRight);
  }`);

test("fills a cart, logs in, orders, pays, and gets a mail", options, (t) =>
  withPage(async (page) => {
    await page.goto("/");
    await page.getByLabel("Search").fill("note");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Notebook" }).click();
    await page.getByLabel("Pieces").fill("2");
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByText("Cart updated").waitFor();
    await assertFits(page);
    await page.getByRole("link", { name: "Check out" }).click();
    await logIn(page, "ada@example.com", "a demo of a shop");
    assert.match((await page.getByRole("alert").textContent()) ?? "", /password is wrong/);
    await logIn(page, "ada@example.com", "a demo of the shop");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("[aria-invalid=true]").and(page.getByLabel("Name")).waitFor();
    for (const label of ["Name", "Street", "ZIP", "City"]) await page.getByLabel(label).fill(label);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Your order" }).waitFor();
    await assertFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(await contentEnd(page, "thead th:last-child"), await contentEnd(page, "td:last-child"));
    await page.getByRole("button", { name: "Buy now" }).dblclick();
    await page.getByRole("button", { name: "Pay" }).click();
    await page.getByText("Paid").waitFor();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByText("1 to 1 of 1").waitFor();
    await openMail(page, "Your order", t);
  }),
);

test("shows a wide picture on a phone", options, () =>
  withPage(async (page) => {
    await page.goto("/staff/products");
    await logIn(page, "ada@example.com", "a demo of the shop");
    await page.getByRole("link", { name: "Desk lamp" }).first().click();
    await page.setViewportSize({ width: 900, height: 700 });
    const picture = { name: "lamp.png", mimeType: "image/png", buffer: await page.screenshot() };
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel("Picture").setInputFiles(picture);
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Image stored").waitFor();
    await assertFits(page);
    await page.goto("/products");
    await page.getByRole("link", { name: "Desk lamp" }).click();
    await page.getByRole("heading", { name: "Desk lamp", level: 1 }).waitFor();
    await page.waitForLoadState();
    assert.equal(await page.evaluate("document.querySelector('article img').naturalWidth"), 900);
    await assertFits(page);
  }),
);

test("resets a forgotten password with the link in an e-mail", options, (t) =>
  withPage(async (page) => {
    await register(page, "grace@example.com", "a meadow of cats");
    await page.getByRole("button", { name: "Log out" }).first().click();
    await page.goto("/login");
    await page.getByRole("link", { name: /forgot/i }).click();
    await page.getByLabel("E-mail address").fill("grace@example.com");
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    await openMail(page, "Set a new password", t);
    await page.waitForLoadState();
    const text = (await page.textContent("body")) ?? "";
    await page.goto(/\/password-reset\/new\?token=[\w-]+/.exec(text)?.[0] ?? "");
    const fields = page.locator("input[type=password]");
    await fields.first().fill("a meadow of owls");
    await fields.last().fill("a meadow of owls");
    await page.getByRole("button", { name: /password/i }).click();
    await page.getByRole("link", { name: "Log in" }).last().click();
    await logIn(page, "grace@example.com", "a meadow of owls");
    await page.waitForURL("/account");
  }),
);
