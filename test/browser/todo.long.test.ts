import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startExample } from "./example.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
let browser: Browser;
let example: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  example = await startExample("todo");
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await example?.[Symbol.asyncDispose]();
});

const withPage = (body: (page: Page) => Promise<void>): Promise<void> => runInPage(browser, example, body);

const addTodo = async (page: Page, title: string): Promise<void> => {
  await page.goto("/todos/new");
  await page.getByLabel("Title").fill(title);
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("status").waitFor();
};

test("creates, edits and deletes a to-do, with a notice for each step", options, () =>
  withPage(async (page) => {
    await page.goto("/");
    await page.getByRole("link", { name: "New to-do" }).click();
    await page.getByLabel("Title").fill("Water the plants");
    await page.getByLabel("Notes").fill("\nthe fern\ntoo");
    await page.getByRole("button", { name: "Add" }).click();
    assert.equal(await page.getByRole("status").textContent(), "To-do added");

    await page.getByRole("link", { name: "Edit Water the plants" }).click();
    assert.equal(await page.getByLabel("Notes").inputValue(), "\nthe fern\ntoo");
    await page.getByLabel("Title").fill("Water the plants twice");
    await page.getByLabel("Done").check();
    await page.getByRole("button", { name: "Save" }).click();
    assert.equal(await page.getByRole("status").textContent(), "To-do saved");
    assert.equal(await page.getByRole("heading").textContent(), "Water the plants twice");

    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.getByRole("link", { name: "Edit Water the plants twice" }).waitFor();
    assert.equal(await page.getByRole("status").count(), 0);
    await page.getByRole("button", { name: "Delete Water the plants twice" }).click();
    assert.equal(await page.getByRole("status").textContent(), "To-do deleted");
    assert.equal(await page.getByRole("link", { name: "Water the plants twice", exact: true }).count(), 0);
  }),
);

test("shows an invalid form again, with its input and an error next to the field", options, () =>
  withPage(async (page) => {
    await page.goto("/todos/new");
    await page.getByLabel("Notes").fill("<script>alert(1)</script>");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("Please enter a title").first().waitFor();
    assert.equal(await page.getByLabel("Notes").inputValue(), "<script>alert(1)</script>");
    const title = page.getByLabel("Title");
    assert.equal(await title.getAttribute("aria-invalid"), "true");
    // The summary of errors has the focus, so that screen readers announce it. Its link leads to the field.
    assert.equal(await page.locator(":focus").getAttribute("role"), "alert");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").textContent(), "Title: Please enter a title");
    await page.keyboard.press("Enter");
    // The browser moves the focus with the next frame.
    await page.locator(`#${await title.getAttribute("id")}:focus`).waitFor();
    const errorId = await title.getAttribute("aria-describedby");
    assert.equal(await page.locator(`#${errorId}`).textContent(), "Please enter a title");
    await title.fill("Now it has one");
    await page.getByRole("button", { name: "Add" }).click();
    assert.equal(await page.getByRole("status").textContent(), "To-do added");
  }),
);

test("combines search, page size, order and pagination, also by keyboard", options, () =>
  withPage(async (page) => {
    for (const number of Array(11).keys()) await addTodo(page, `Page ${String(number).padStart(2, "0")} 100%`);
    await page.goto("/todos");
    await page.getByLabel("Search", { exact: true }).fill("100%");
    await page.getByLabel("Per page").selectOption("10");
    await page.getByLabel("Order").selectOption("asc");
    await page.getByLabel("Search", { exact: true }).press("Enter");
    await page.getByRole("navigation").getByText("1 to 10 of 11").waitFor();
    assert.equal(await page.locator(".title").first().textContent(), "Page 00 100%");
    await page.getByRole("link", { name: "Next" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("11 to 11 of 11").waitFor();
    assert.equal(await page.locator(".title").first().textContent(), "Page 10 100%");
    assert.equal(await page.getByLabel("Search", { exact: true }).inputValue(), "100%");
    await page.getByRole("button", { name: "Delete Page 10 100%" }).click();
    await page.getByRole("status").getByText("To-do deleted").waitFor();
    assert.match(page.url(), /filter=100%25&limit=10&offset=10&sort=asc$/);
  }),
);

test("accepts a double click on submit and a form after the back button", options, () =>
  withPage(async (page) => {
    await page.goto("/todos/new");
    await page.getByLabel("Title").fill("Twice");
    await page.getByRole("button", { name: "Add" }).dblclick();
    assert.equal(await page.getByRole("status").textContent(), "To-do added");
    await page.goBack();
    await page.getByLabel("Title").fill("After going back");
    await page.getByRole("button", { name: "Add" }).click();
    assert.equal(await page.getByRole("status").textContent(), "To-do added");
    assert.equal(await page.getByRole("link", { name: "After going back", exact: true }).count(), 1);
  }),
);

test("no page is wider than the screen of a phone", options, () =>
  withPage(async (page) => {
    await addTodo(page, "A".repeat(200));
    for (const path of ["/todos", "/todos/new", "/nowhere"]) {
      await page.goto(path);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      assert.equal(overflow, 0, path);
    }
  }),
);
