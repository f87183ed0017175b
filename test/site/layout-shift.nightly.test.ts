// Layout shifts while a page loads. A slow machine paints intermediate states that a fast one skips.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readerSkip, useSite } from "./documentation-site.ts";

const reader = useSite();

test("nothing moves while a page loads", { skip: readerSkip }, async () => {
  for (const width of [390, 1280]) {
    await reader().visit("guide/web.html", { width, waitsForRequests: true }, async (page) => {
      const shift = await page.evaluate<number>(`new Promise((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
          .observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => resolve(0), 100))`);
      assert.equal(shift, 0);
    });
  }
});
