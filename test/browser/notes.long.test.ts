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
  example = await startExample("notes");
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
  await page.getByLabel("New password").first().fill(password);
  await page.getByLabel("Repeat").fill(password);
  await page.getByRole("button", { name: "Register" }).click();
  assert.equal(await page.getByRole("status").textContent(), "Welcome!");
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

test("registers, adds a note, logs out, and returns to the note after login", options, () =>
  withPage(async (page) => {
    await register(page, "ada@example.com", "a meadow of cats");
    await page.getByRole("link", { name: "New note" }).click();
    await page.getByRole("button", { name: "Add" }).click();
    await page.locator("[aria-invalid=true]").and(page.getByLabel("Title")).waitFor();
    await page.getByLabel("Title").fill("Plans");
    await page.getByLabel("Note").fill("None of your business");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "Plans" }).first().click();
    await page.getByRole("heading", { name: "Plans" }).waitFor();
    const note = page.url();
    await page.getByRole("button", { name: "Log out" }).click();
    assert.equal(await page.getByRole("status").textContent(), "You are logged out");
    await page.goto(note);
    await logIn(page, "ada@example.com", "a meadow of dogs");
    assert.match((await page.getByRole("alert").textContent()) ?? "", /password is wrong/);
    await logIn(page, "ada@example.com", "a meadow of cats");
    await page.waitForURL(note);
    assert.equal(await page.getByRole("heading").textContent(), "Plans");
  }),
);

test("resets a forgotten password with the link in an e-mail", options, (t) =>
  withPage(async (page) => {
    await register(page, "grace@example.com", "a meadow of cats");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("link", { name: "I forgot my password" }).click();
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
    await page.getByRole("button").click();
    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, "grace@example.com", "a meadow of owls");
    await page.waitForURL("/notes");
  }),
);
