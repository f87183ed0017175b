// The components in a browser: accessibility, phone, keyboard, live validation.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { root } from "../sources.ts";
import { accessibilityProblems, tabOrder } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startProgram } from "./example.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
let browser: Browser;
let program: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  const fixture = join(root, "test/fixtures/components.ts");
  program = await startProgram(["--conditions=@limmat/source", fixture, "server"]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

const withPage = (body: (page: Page) => Promise<void>): Promise<void> => runInPage(browser, program, body);

/** Waits until an element has the focus: a browser moves it with the next frame, after a page is loaded or a link followed. */
const waitForFocus = (page: Page, selector: string): Promise<void> => page.locator(`${selector}:focus`).waitFor();

const pages = ["/form", "/errors", "/list", "/list?filter=none&state=draft&sort=-title"];

test("axe-core finds no problem, on phones and screens, in light and dark", options, () =>
  withPage(async (page) => {
    for (const path of pages) {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [390, 1280]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await page.goto(path);
          assert.deepEqual(await accessibilityProblems(page), [], `${path}, ${colorScheme}, ${width} px`);
        }
      }
    }
  }),
);

test("axe-core finds a label that is missing", options, () =>
  withPage(async (page) => {
    await page.goto("/form");
    await page.evaluate("document.querySelector('label').remove()");
    const [problem = ""] = await accessibilityProblems(page);
    assert.match(problem, /^label.*: <input/);
  }),
);

test("each control has a name, and each reference leads to an element", options, () =>
  withPage(async (page) => {
    for (const path of pages) {
      await page.goto(path);
      const problems = await page.evaluate<readonly string[]>(`[
        ...[...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
          .filter((control) => control.labels.length === 0 && !control.ariaLabel)
          .map((control) => "no label: " + control.outerHTML),
        ...[...document.querySelectorAll("[aria-describedby]")]
          .flatMap((element) => element.getAttribute("aria-describedby").split(" "))
          .concat([...document.querySelectorAll("label[for]")].map((label) => label.htmlFor))
          .concat([...document.querySelectorAll(".error-summary a")].map((link) => link.hash.slice(1)))
          .filter((id) => document.getElementById(id) === null)
          .map((id) => "no element: " + id),
        ...[...document.querySelectorAll("[id]")].map(({ id }) => id)
          .filter((id, index, ids) => ids.indexOf(id) !== index)
          .map((id) => "not unique: " + id),
        ...[...document.querySelectorAll(".error-summary a")]
          .filter((link) => document.querySelector('[id="' + link.hash.slice(1) + '"]').closest(".is-invalid") === null)
          .map((link) => "leads to a valid field: " + link.hash),
      ]`);
      assert.deepEqual(problems, [], path);
    }
  }),
);

test("the summary of errors has the focus, and its links lead to the fields", options, () =>
  withPage(async (page) => {
    await page.goto("/errors");
    await waitForFocus(page, ".error-summary");
    const [first] = await tabOrder(page, 1);
    assert.match(first ?? "", /^Title: /);
    await page.keyboard.press("Enter");
    await waitForFocus(page, "#title");
    await page.getByRole("link", { name: /^Size: / }).click();
    await waitForFocus(page, "#size");
    await page.getByRole("link", { name: /^Tags: / }).click();
    await waitForFocus(page, "#tags");
  }),
);

test("the keyboard reaches the fields in their order", options, () =>
  withPage(async (page) => {
    await page.goto("/form");
    const names = await tabOrder(page, 30);
    const order = ["title", "notes", "pages", "price", "published_on", "read_at", "sold", "state", "size", "tags"];
    const reached = [...new Set(names)].filter((name) => order.includes(name));
    assert.deepEqual(reached, order);
  }),
);

test("a list on a phone is cards with every column, and no page is wider than the screen", options, () =>
  withPage(async (page) => {
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of pages) {
        await page.goto(path);
        await page.evaluate("document.querySelector('main').append(new Image(900, 9))");
        assert.equal(
          await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
          0,
          `${path}, ${width} px`,
        );
      }
      await page.goto("/list");
      for (const text of ["Book 1", "10", "In print", "No", "2026-01-31 12:30 UTC", "Delete"]) {
        const cell = page
          .getByRole("row")
          .filter({ hasText: /^\s*Book 1\s/ })
          .getByText(text, { exact: true });
        assert.ok(await cell.first().isVisible(), `${text}, ${width} px`);
      }
    }
  }),
);

test("the content of a page with a list is wider than without one, and the space is even", options, () =>
  withPage(async (page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const widthOf = (path: string): Promise<number> =>
      page.goto(path).then(() => page.evaluate<number>('document.querySelector("main > h1").clientWidth'));
    assert.equal(await widthOf("/form"), 864);
    assert.equal(await widthOf("/list"), 1120);
    const [legend, labels, gap] = await page.evaluate<[number, readonly number[], number]>(`(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      const legend = box(".search legend").top;
      const labels = [...document.querySelectorAll(".search > div > label")].map((label) => label.getBoundingClientRect().top);
      return [legend, labels, box(".pager").top - box("table").bottom];
    })()`);
    assert.ok(
      labels.some((top) => Math.abs(top - legend) < 2),
      `${legend} is none of ${labels.join(", ")}`,
    );
    assert.ok(gap >= 16, `${gap} px`);
  }),
);

test("a list can be sorted on a phone, where only the heads that sort it are visible", options, () =>
  withPage(async (page) => {
    await page.goto("/list");
    const head = page.locator("thead");
    assert.ok(await head.getByRole("link", { name: "Title" }).isVisible());
    assert.deepEqual(
      await page.evaluate(`[...document.querySelectorAll("thead th")].map((head) => head.offsetWidth > 1)`),
      [false, true, true, false, false, false, false],
    );
    await head.getByRole("link", { name: "Pages" }).click();
    await page.locator('th[aria-sort="ascending"]', { hasText: "Pages" }).waitFor();
    await head.getByRole("link", { name: "Pages" }).click();
    await page.locator('th[aria-sort="descending"]', { hasText: "Pages" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  }),
);

test("selected rows are sent with the chosen action", options, () =>
  withPage(async (page) => {
    await page.goto("/list");
    await page.getByRole("checkbox", { name: "Select Book 1" }).check();
    await page.getByRole("checkbox", { name: "Select Book 2" }).check();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.waitForURL("**/bulk");
    const sent = JSON.parse((await page.locator("body").textContent()) ?? "") as [string, string][];
    assert.deepEqual(
      sent.filter(([name]) => name !== "csrf"),
      [
        ["action", "archive"],
        ["ids", "00000000-0000-4000-8000-000000000001"],
        ["ids", "00000000-0000-4000-8000-000000000002"],
      ],
    );
  }),
);

test("live validation shows errors by the schema, and keeps what was typed", options, () =>
  withPage(async (page) => {
    await page.goto("/live");
    const title = page.getByLabel("Title");
    await title.fill("x");
    await page.getByLabel("Notes").focus();
    await page.locator("#title-error", { hasText: "Please enter at least 3 characters" }).waitFor();
    assert.equal(await title.inputValue(), "x");
    assert.equal(await title.getAttribute("aria-invalid"), "true");
    assert.equal(await title.getAttribute("aria-describedby"), "title-hint title-error");
    assert.equal(await page.evaluate("document.activeElement.id"), "notes");
    assert.equal(await page.locator(".error:not(:empty)").count(), 1);
    await title.fill("Heidi");
    await page.getByLabel("Notes").fill("Typed");
    await page.locator(".is-invalid").waitFor({ state: "detached" });
    assert.equal(await title.getAttribute("aria-invalid"), null);
    assert.equal(await page.getByLabel("Notes").inputValue(), "Typed");

    await page.getByLabel("Password").fill("short");
    await page.getByLabel("Repeat").fill("other");
    await page.locator("#password-error", { hasText: "Please enter at least 8 characters" }).waitFor();
    assert.equal(await page.getByLabel("Password").inputValue(), "short");
    assert.equal(await page.getByLabel("Repeat").inputValue(), "other");

    await page.getByLabel("State").selectOption("in_print");
    await page.getByRole("radio", { name: "Large" }).check();
    await page.getByRole("checkbox", { name: "Blue" }).check();
    await page.getByRole("checkbox", { name: "Sold" }).check();
    await page.getByLabel("Pages").fill("0");
    await page.getByLabel("Published on").fill("2024-02-29");
    await page.locator("#pages-error", { hasText: "Please enter 1 or more" }).waitFor();
    await page.locator(".htmx-request").first().waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("State").inputValue(), "in_print");
    assert.ok(await page.getByRole("radio", { name: "Large" }).isChecked());
    assert.ok(await page.getByRole("checkbox", { name: "Blue" }).isChecked());
    assert.ok(await page.getByRole("checkbox", { name: "Sold" }).isChecked());
    assert.deepEqual(await accessibilityProblems(page), []);
  }),
);
