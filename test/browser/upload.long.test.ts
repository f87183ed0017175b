import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { guideArguments, guideProgram } from "../uploads-guide.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startProgram } from "./example.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
let browser: Browser;
let guide: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  const shutdown = `process.once("SIGTERM", async () => {
    await app.stop();
    process.exit(0);
  });`;
  guide = await startProgram(guideArguments(guideProgram(shutdown, true)));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await guide?.[Symbol.asyncDispose]();
});

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function upload(page: Page, title: string, name: string, buffer: Buffer): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Photo").setInputFiles({ name, mimeType: "image/png", buffer });
  // The response can look like the previous page, so wait for the navigation.
  await Promise.all([page.waitForEvent("framenavigated"), page.getByRole("button", { name: "Upload" }).click()]);
}

test("refuses a file that is not a photo, then uploads a photo and shows it", options, () =>
  runInPage(browser, guide, async (page) => {
    await page.goto("/photos/new");
    await page.getByLabel("Title").fill("A pixel");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Please choose a PNG, JPEG or WebP image").waitFor();
    await upload(page, "A pixel", "not-really.png", Buffer.alloc(3_000_000, "<script>"));
    await page.getByText("Please choose a PNG, JPEG or WebP image").waitFor();
    assert.equal(await page.getByLabel("Title").inputValue(), "A pixel");
    await upload(page, 'Grüße "1"', 'ein "Bild".png', pixel);
    assert.equal(await page.getByRole("heading").textContent(), 'Grüße "1"');
    await page.waitForLoadState();
    assert.equal(await page.evaluate("document.querySelector('img').naturalWidth"), 1);
  }),
);

test("reports a photo that is too large, even during the upload", options, () =>
  runInPage(browser, guide, async (page) => {
    for (const [size, problem] of [
      [5_500_000, "is larger than 5000000 bytes"],
      [40_000_000, "is larger than 6000000 bytes"],
    ] as const) {
      await page.goto("/photos/new");
      await upload(page, "Large", "large.png", Buffer.alloc(size));
      await page.getByText(problem).waitFor();
    }
  }),
);
