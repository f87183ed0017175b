// On a slow machine the browser paints states of a page that a fast one skips.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserSkip } from "../browser/chromium.ts";
import { readSite, type SiteReader, siteSkip } from "./documentation-site.ts";

const skip = siteSkip === false ? browserSkip : siteSkip;
let reader: SiteReader;

before(async () => {
  if (skip === false) reader = await readSite();
});
after(() => reader?.[Symbol.asyncDispose]());

test("nothing moves while a page loads", { skip }, async () => {
  for (const width of [390, 1280]) {
    await reader.visit("guide/web.html", { width, waitsForRequests: true }, async (page) => {
      const shift = await page.evaluate<number>(`new Promise((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
          .observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => resolve(0), 100))`);
      assert.equal(shift, 0);
    });
  }
});
