// Lists of generated pages on a phone and on a wide screen.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, CDPSession, Page } from "playwright-core";
import { type TestProject, testProject } from "../generators/project.ts";
import { root } from "../sources.ts";
import { accessibilityProblems } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startExample } from "./example.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
// The first cell is the heading of its row, the last one contains the buttons.
const phoneLabels = ["none", "Pages", "Rating", "Sold", "Published on", "Added", "none"];
let browser: Browser;
let project: TestProject;
let server: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  project = testProject();
  symlinkSync(join(root, "node_modules"), join(project.root, "node_modules"));
  const fields = ["title:string", "pages:int", "rating:float?", "sold:bool", "published_on:date?"];
  await project.run("gen.html", "sqlite", "book", ...fields, "--wire");
  server = await startExample("project", project.root);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  project?.[Symbol.dispose]();
});

const withPage = (body: (page: Page) => Promise<void>): Promise<void> => runInPage(browser, server, body);

async function addBook(page: Page, title: string): Promise<void> {
  await page.goto("/books/new");
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Pages").fill("320");
  await page.getByLabel("Sold").check();
  await page.getByLabel("Published on").fill("2024-02-29");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("status").waitFor();
}

/** Returns the roles of the nodes that assistive technology sees, by name. */
async function accessibleRoles(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const counts = new Map<string, number>();
  for (const { role, ignored } of nodes) {
    const name = String(role?.value);
    if (!ignored) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

test("an empty list says that it has no items yet, and a search without matches leads to all items", options, () =>
  withPage(async (page) => {
    const empty = page.locator(".empty");
    await page.goto("/books");
    assert.equal(await empty.locator(".empty-title").textContent(), "No books yet.");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("link", { name: "New book" }).click();
    await page.waitForURL("**/books/new");
    await addBook(page, "Emma");
    for (const query of ["filter=nothing", "offset=50"]) {
      await page.goto(`/books?${query}`);
      assert.equal(await empty.locator(".empty-title").textContent(), "No books found.");
      await empty.getByRole("link", { name: "Show all books" }).click();
      await page.getByRole("row").filter({ hasText: "Emma" }).waitFor();
    }
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("status").waitFor();
  }),
);

test("a list shows every column on a phone, with its label, and is no wider than the screen", options, () =>
  withPage(async (page) => {
    await addBook(page, "Heidi");
    await addBook(page, `A title without end ${"x".repeat(200)}`);
    for (const [width, isPhone] of [
      [320, true],
      [390, true],
      [1280, false],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto("/books");
      const row = page.getByRole("row").filter({ hasText: "Heidi" });
      for (const text of ["Heidi", "320", "Yes", "2024-02-29", "UTC", "Edit", "Delete"]) {
        assert.ok(await row.getByText(text).first().isVisible(), `${text} at ${width} px`);
      }
      const labels = await page.evaluate(
        `[...document.querySelector("tbody tr").cells].map((cell) => getComputedStyle(cell, "::before").content.replaceAll('"', ""))`,
      );
      assert.deepEqual(labels, isPhone ? phoneLabels : phoneLabels.map(() => "none"), `labels at ${width} px`);
      for (const selector of ["html", ".card:has(table)"]) {
        const overflow = await page.evaluate(
          `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("${selector}"))`,
        );
        assert.equal(overflow, 0, `${selector} at ${width} px`);
      }
    }
  }),
);

test("a list on a phone is still a table for assistive technology", options, () =>
  withPage(async (page) => {
    await page.goto("/books");
    const roles = await accessibleRoles(await page.context().newCDPSession(page));
    assert.deepEqual(
      ["table", "row", "columnheader", "rowheader", "cell"].map((role) => roles.get(role)),
      [1, 3, 7, 2, 12],
    );
  }),
);

test("a form that a page sends twice at the same time adds one book, and shows its notice", options, () =>
  withPage(async (page) => {
    await page.goto("/books/new");
    await page.getByLabel("Title").fill("Once");
    await page.getByLabel("Pages").fill("1");
    const types = await page.evaluate(`(async () => {
      const form = document.querySelector("form.card");
      const send = () => fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
      return (await Promise.all([send(), send(), send()])).map(({ type }) => type);
    })()`);
    assert.deepEqual(types, ["opaqueredirect", "opaqueredirect", "opaqueredirect"]);
    await page.goto("/books?filter=Once");
    assert.equal(await page.getByRole("status").textContent(), "Book added");
    assert.equal(await page.getByRole("rowheader").count(), 1);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("status").waitFor();
  }),
);

test("the header and the left edge of the content stay in place, and mark the current page", options, () =>
  withPage(async (page) => {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const places: unknown[] = [];
      for (const path of ["/books", "/books?filter=nothing", "/books/new"]) {
        await page.goto(path);
        const brand = await page.locator("header > a").boundingBox();
        const heading = await page.locator("h1").boundingBox();
        places.push([brand?.x, brand?.y, heading?.x]);
        assert.equal(await page.locator('header [aria-current]:text("Books")').count(), 1, path);
      }
      assert.deepEqual(new Set(places.map((place) => JSON.stringify(place))).size, 1, JSON.stringify(places));
    }
    await page.goto("/");
    assert.equal(await page.locator("header [aria-current=page]").textContent(), "Home");
  }),
);

test("the style sheet leaves labels and inputs outside of components plain", options, () =>
  withPage(async (page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto("/books");
    const [weight, width, offset] = (await page.evaluate(`(() => {
      document.querySelector("main").insertAdjacentHTML("beforeend",
        '<p>Count <input name="count" value="1"> <label id="plain"><input type="checkbox"> <span>Gift</span></label></p>');
      const middle = (selector) => {
        const { top, height } = document.querySelector(selector).getBoundingClientRect();
        return top + height / 2;
      };
      return [
        getComputedStyle(document.querySelector("#plain")).fontWeight,
        document.querySelector("[name=count]").offsetWidth,
        Math.abs(middle("#plain input") - middle("#plain span")),
      ];
    })()`)) as readonly [string, number, number];
    assert.equal(weight, "400");
    assert.ok(width < 300, `an input of ${width} px`);
    assert.ok(offset < 3, `a checkbox ${offset} px off its line`);
  }),
);

test("axe-core finds no problem on generated pages", options, () =>
  withPage(async (page) => {
    for (const path of ["/books", "/books?filter=nothing", "/books/new", "/"]) {
      await page.goto(path);
      assert.deepEqual(await accessibilityProblems(page), [], path);
    }
    await page.goto("/books/new");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByRole("alert").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.goto("/books");
    await page.getByRole("row").getByRole("link").filter({ hasText: "Heidi" }).click();
    await page.getByRole("link", { name: "Back to the list" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  }),
);
